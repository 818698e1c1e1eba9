/** What is read out while a session is open. */
import { describe, expect, it } from 'vitest';
import { announcement, heard, type Heard } from '../../app/composables/announcements.ts';
import type { Stage } from '../../app/sync/views.ts';

const quiet: Heard = { ...heard('s', null, null, [], []), stages: new Map() };
const moment = (more: Partial<Heard>): Heard => ({ ...quiet, ...more });
const stage = (of: Stage): Heard => moment({ stages: new Map([['i', of]]) });

describe('announcements', () => {
  it('say accepted, queued and refused when an own prompt gets there, and nothing for what was there before', () => {
    expect(announcement(stage('sending'), stage('steer')).polite).toBe('Accepted');
    expect(announcement(stage('held'), stage('queued')).polite).toBe('Accepted, queued');
    expect(announcement(stage('sending'), stage('refused')).polite).toBe('Refused');
    expect(announcement(quiet, stage('steer')).polite).toBe('');
    expect(announcement(stage('queued'), stage('steer')).polite).toBe('');
  });
  it('say that a step, then the turn, is over; never what was streamed', () => {
    expect(announcement(moment({ turnId: 't', step: 0 }), moment({ turnId: 't', step: 1 })).polite).toBe('Step finished');
    expect(announcement(moment({ turnId: 't', step: 1 }), moment({ turnId: 't', step: 1 })).polite).toBe('');
    expect(announcement(moment({ turnId: 't', step: 1 }), quiet).polite).toBe('Turn finished');
  });
  it('call for an approval once, at once', () => {
    const asking = moment({ asks: new Map([['a', 'npm ci']]) });
    expect(announcement(quiet, asking)).toEqual({ polite: '', assertive: 'Needs you: npm ci' });
    expect(announcement(asking, asking).assertive).toBe('');
  });
  it('are silent when another session is opened', () => {
    const other = { ...stage('steer'), sessionId: 'other', asks: new Map([['a', 'rm']]) };
    expect(announcement(stage('sending'), other)).toEqual({ polite: '', assertive: '' });
  });
});
