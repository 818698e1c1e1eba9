/** A model's arguments, read with care: they are an object, and nothing more is known. */
import { LIMITS } from '#shared/protocol/limits.ts';
import { ToolFault } from './fault.ts';

export type Args = Record<string, unknown>;

/** A string that must be there. */
export function text(args: Args, name: string): string {
  const value = args[name];
  if (typeof value !== 'string') throw new ToolFault(`\`${name}\` must be a string${value === undefined ? ', and is missing' : ''}.`);
  return value.toWellFormed();
}

/** A string that may be left out; blank counts as left out. */
export function optionalText(args: Args, name: string): string | null {
  if (args[name] === undefined || args[name] === null) return null;
  const value = text(args, name);
  return value.trim() === '' ? null : value;
}

/** A path: a string without NUL, not blank, within the limit. `fallback`: what a missing one means. */
export function path(args: Args, fallback?: string): string {
  const value = fallback === undefined ? text(args, 'path') : (optionalText(args, 'path') ?? fallback);
  if (value.trim() === '') throw new ToolFault('`path` is empty.');
  if (value.includes('\0')) throw new ToolFault('`path` holds a NUL character.');
  if (value.length > LIMITS.pathChars) throw new ToolFault(`\`path\` is longer than ${LIMITS.pathChars} characters.`);
  return value;
}

/** A whole number from `least` up that may be left out. Digits in a string are taken too: some models quote numbers. */
export function optionalWhole(args: Args, name: string, least: number): number | null {
  const value = args[name];
  if (value === undefined || value === null || value === '') return null;
  const number = typeof value === 'string' && /^\d+$/.test(value.trim()) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isSafeInteger(number) || number < least) {
    throw new ToolFault(`\`${name}\` must be a whole number, ${least} or more.`);
  }
  return number;
}
