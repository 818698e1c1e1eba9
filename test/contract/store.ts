/** What every adapter of the store's port must do. An adapter's own test calls this with a way to make a store. */
import { describe } from 'vitest';
import type { MakeHarness } from '../support/store-harness.ts';
import { announceContract } from './store-announce.ts';
import { editContract } from './store-edit.ts';
import { forkContract, longForkContract } from './store-forks.ts';
import { inboxContract } from './store-inbox.ts';
import { logContract } from './store-log.ts';
import { sessionContract } from './store-sessions.ts';
import { stopContract } from './store-stop.ts';
import { turnContract } from './store-turns.ts';

export function storeContract(name: string, make: MakeHarness): void {
  describe(`store contract: ${name}`, () => {
    describe('sessions', () => {
      sessionContract(make);
    });
    describe('forks', () => {
      forkContract(make);
    });
    describe('long forks', () => {
      longForkContract(make);
    });
    describe('inbox', () => {
      inboxContract(make);
    });
    describe('edits and cancels', () => {
      editContract(make);
    });
    describe('turns', () => {
      turnContract(make);
    });
    describe('stop, resume and approvals', () => {
      stopContract(make);
    });
    describe('log and pages', () => {
      logContract(make);
    });
    describe('announcing', () => {
      announceContract(make);
    });
  });
}
