/**
 * Times and amounts as they are written on screen: the clock today, the weekday this week, then the date. Local time, 24 hours.
 * `now` is the server's (`useServerNow`), since the times are; null where it is not known: then nothing is called today (I35).
 */

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const weekdayShort = new Intl.DateTimeFormat('en-GB', { weekday: 'short' });
const weekdayLong = new Intl.DateTimeFormat('en-GB', { weekday: 'long' });
const dayShort = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const dayLong = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long' });
const yearLong = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric' });
const plain = new Intl.NumberFormat('en-US');

/** Whole calendar days from `at` to `now` here: 0 today, 1 yesterday, negative in the future. */
export function daysAgo(at: number, now: number): number {
  return Math.round((calendarDay(now) - calendarDay(at)) / 86_400_000);
}
/** The local calendar day of a time, as a UTC midnight: so that a change to summer time makes no day longer. */
function calendarDay(time: number): number {
  const date = new Date(time);
  return Date.UTC(date.getFullYear(), date.getMonth(), date.getDate());
}

/** `14:36`. */
export function clockWords(at: number): string {
  return clock.format(at);
}

/** For a narrow column: `14:36`, `Fri`, `3 Nov`, `3 November 2024`. A time in the future (a clock that is off) gets its date. */
export function timeWords(at: number, now: number | null): string {
  if (now === null) return yearLong.format(at);
  const days = daysAgo(at, now);
  if (days === 0) return clock.format(at);
  if (days > 0 && days < 7) return weekdayShort.format(at);
  return new Date(at).getFullYear() === new Date(now).getFullYear() ? dayShort.format(at) : yearLong.format(at);
}

/** Within a sentence: `14:02`, `Friday 14:02`, `3 November`. */
export function sinceWords(at: number, now: number | null): string {
  if (now === null) return yearLong.format(at);
  const days = daysAgo(at, now);
  if (days === 0) return clock.format(at);
  if (days > 0 && days < 7) return `${weekdayLong.format(at)} ${clock.format(at)}`;
  return new Date(at).getFullYear() === new Date(now).getFullYear() ? dayLong.format(at) : yearLong.format(at);
}

/** `48 s`, `2 m 10 s`, `1 h 02 m`. */
export function durationWords(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} m ${String(seconds % 60).padStart(2, '0')} s`;
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} m`;
}

/** `1,240`. */
export function countWords(count: number): string {
  return plain.format(count);
}

/** `1 prompt`, `2 prompts`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${countWords(count)} ${count === 1 ? one : many}`;
}

/** `12 MB`, `340 KB`: one digit behind the point below ten. */
export function sizeWords(bytes: number): string {
  const units = ['bytes', 'KB', 'MB', 'GB', 'TB'];
  let at = 0;
  let size = bytes;
  while (size >= 1024 && at < units.length - 1) {
    size /= 1024;
    at++;
  }
  const digits = at > 0 && size < 10 ? Math.round(size * 10) / 10 : Math.round(size);
  return `${countWords(digits)} ${units[at]}`;
}
