/** The commands, as components reach them. */
import { inject, type InjectionKey } from 'vue';
import type { Commands } from '../sync/commands.ts';

export const COMMANDS: InjectionKey<Commands> = Symbol('commands');
export function useCommands(): Commands {
  const commands = inject(COMMANDS);
  if (commands === undefined) throw new Error('commands are provided by main.ts');
  return commands;
}
