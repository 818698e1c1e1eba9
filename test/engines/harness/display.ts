/** A screen of the test's own, for engines that have no headless mode. */
import { programAt, startProgram, type Program } from './programs.ts';
import { PHONE } from './engine.ts';

export interface Display {
  readonly name: string;
  end(): Promise<void>;
}

export const displayAt = (): string => programAt('Xvfb', 'xvfb');

/** An X server without a monitor, as large as a phone; it chooses a number that is free. */
export async function startDisplay(): Promise<Display> {
  const path = displayAt();
  const args = ['-displayfd', '3', '-screen', '0', `${PHONE.width}x${PHONE.height}x24`, '-nolisten', 'tcp'];
  const program: Program = startProgram(path, args, { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] });
  const [, number] = await program.printed(/^(\d+)\s/m);
  return { name: `:${number}`, end: () => program.end() };
}
