/** The page that describes the sync machine says what the tables do. */
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { machineDoc } from '../support/machine-doc.ts';

test('app/sync/machine.md is what the tables say', async () => {
  await expect(machineDoc()).toMatchFileSnapshot(resolve(import.meta.dirname, '../../app/sync/machine.md'));
});
