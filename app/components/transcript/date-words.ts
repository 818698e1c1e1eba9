/** Dates of the trail's ends: `3 November`, another year's with the year, a span with its month once where it can. */
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long' });
const year = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric' });

export function dateWords(at: number, now: number | null): string {
  return (now !== null && new Date(at).getFullYear() === new Date(now).getFullYear() ? day : year).format(at);
}
/** `3 to 11 November`, `28 October to 3 November`, `3 November`. */
export function spanWords(from: number, to: number, now: number | null): string {
  const first = dateWords(from, now);
  const last = dateWords(to, now);
  if (first === last) return last;
  const [a, b] = [new Date(from), new Date(to)];
  return a.getMonth() === b.getMonth() && a.getFullYear() === b.getFullYear() ? `${a.getDate()} to ${last}` : `${first} to ${last}`;
}
