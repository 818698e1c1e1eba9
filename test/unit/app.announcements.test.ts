/** What is read out while a session is open. */
import { describe, expect, it } from 'vitest';
import { announcement, heard, retryWhen, type Heard, type Hearable } from '../../app/composables/announcements.ts';
import type { ReceiptView, Stage } from '../../app/sync/views.ts';
import { receiptView } from '../support/receipt-view.ts';

const NOW = 1_000_000;
const moment = (more: Partial<Hearable> = {}): Heard =>
  heard({ sessionId: 's', turnId: null, live: null, receipts: [], approvals: [], isPromoted: () => false, ...more });
const quiet = moment();
const receipts = (...views: ReceiptView[]): Heard => moment({ receipts: views });
const stage = (of: Stage, more: Partial<ReceiptView> = {}): Heard => receipts(receiptView('i', of, 'words', more));
const polite = (before: Heard, after: Heard): readonly string[] => announcement(before, after, NOW).polite;
const running = (step: number, retry: { at: number; reason: string } | null = null): Heard =>
  moment({ turnId: 't', live: { step, retry } });

describe('announcements', () => {
  it.each<[Stage, Stage, Partial<ReceiptView>, string[]]>([
    ['sending', 'steer', {}, ['Accepted']],
    ['held', 'queued', { place: 2 }, ['Accepted, queued, number 2']],
    ['queued', 'steer', {}, ['Turned into a steer']],
    ['steer', 'queued', { place: 1 }, ['Moved to the queue, number 1']],
    ['sending', 'refused', { reason: 'too long' }, ['Refused: too long']],
    ['queued', 'orphaned', { reason: 'deleted' }, ['Refused: deleted']],
    ['held', 'expired', {}, ['Too old to go unasked. Send anyway?']],
    ['sending', 'unknown', {}, ['Checking whether it arrived']],
    ['queued', 'cancelled', {}, ['Cancelled']],
    ['cancelled', 'held', {}, ['Held on this device again']],
    ['held', 'sending', {}, []],
    ['sending', 'held', {}, []],
  ])('say what became of a prompt, once: %s → %s', (before, after, more, words) => {
    expect(polite(stage(before), stage(after, more))).toEqual(words);
    expect(polite(stage(after, more), stage(after, more))).toEqual([]);
  });
  it('say that a prompt is in the transcript, once it is there, and nothing for what was here before', () => {
    const sealed = moment({ isPromoted: (id) => id === 'i' });
    expect(polite(stage('steer'), sealed)).toEqual(['In the transcript']);
    expect(polite(stage('steer'), quiet)).toEqual([]);
    expect(polite(quiet, stage('steer'))).toEqual([]);
    expect(polite(quiet, stage('refused'))).toEqual([]);
  });
  it('tell each of two in order', () => {
    const before = receipts(receiptView('a', 'sending', 'a'), receiptView('b', 'sending', 'b'));
    const after = receipts(receiptView('a', 'steer', 'a'), receiptView('b', 'queued', 'b', { place: 1 }));
    expect(polite(before, after)).toEqual(['Accepted', 'Accepted, queued, number 1']);
  });
  it('tell what another device did to it', () => {
    expect(polite(stage('queued'), stage('queued', { conflict: [] }))).toEqual([
      'Changed on another device too. Choose the words that stay',
    ]);
    expect(polite(stage('queued'), stage('queued', { note: 'not-moved' }))).toEqual(['Not moved: the prompt it was to follow is gone']);
    expect(polite(stage('sending'), stage('queued', { note: 'other-turn' }))).toEqual([
      'Queued: another turn was running than the one you wrote for',
    ]);
    expect(polite(stage('queued', { place: 2 }), stage('queued', { place: 1 }))).toEqual([]);
  });
  it('say that a step, then the turn, is over; never what was streamed', () => {
    expect(polite(running(0), running(1))).toEqual(['Step finished']);
    expect(polite(running(1), running(1))).toEqual([]);
    expect(polite(running(1), quiet)).toEqual(['Turn finished']);
  });
  it('I22: say once that a wait began, not each second, and again for the next try', () => {
    const wait = { at: NOW + 8_000, reason: 'The provider is overloaded' };
    expect(polite(running(0), running(0, wait))).toEqual(['Tries again in 8 s. The provider is overloaded']);
    expect(announcement(running(0, wait), running(0, { ...wait }), NOW + 3_000).polite).toEqual([]);
    expect(polite(running(0, wait), running(0, { ...wait, at: NOW + 30_000 }))).toEqual([
      'Tries again in 30 s. The provider is overloaded',
    ]);
    expect([retryWhen(NOW, NOW), retryWhen(NOW + 9_000_000, NOW)]).toEqual(['Tries again soon', 'Tries again soon']);
  });
  it('call for an approval once, at once', () => {
    const asking = { ...quiet, asks: new Map([['a', 'npm ci']]) };
    expect(announcement(quiet, asking, NOW)).toEqual({ polite: [], assertive: 'Needs you: npm ci' });
    expect(announcement(asking, asking, NOW).assertive).toBe('');
  });
  it('are silent when another session is opened', () => {
    const other = { ...stage('steer'), sessionId: 'other', asks: new Map([['a', 'rm']]) };
    expect(announcement(stage('sending'), other, NOW)).toEqual({ polite: [], assertive: '' });
  });
});
