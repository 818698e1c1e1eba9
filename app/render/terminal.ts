/** What a terminal would leave on screen, as plain text: no colours, no cursor, a progress line only in its last state. */

const ESCAPE_SEQUENCE = new RegExp(
  [
    '\\u001b\\[[0-?]*[ -/]*[@-~]',
    '\\u001b\\][^\\u0007\\u001b]*(?:\\u0007|\\u001b\\\\)?',
    '\\u001b[ -/]*[0-~]?',
    '\\u009b[0-?]*[ -/]*[@-~]',
  ].join('|'),
  'g',
);
const ESCAPE_AT = new RegExp(`^(?:${ESCAPE_SEQUENCE.source})`);
/** Every control character but tab and line end. */
const CONTROLS = /[^\P{Cc}\t\n]/gu;

/** Plain text of shell output; tabs and line ends stay. */
export function plainOutput(text: string): string {
  const plain = text.replace(/\r\n/g, '\n').replace(ESCAPE_SEQUENCE, '');
  const lines = plain.includes('\r') ? plain.split('\n').map(lastState).join('\n') : plain;
  return lines.replace(CONTROLS, '');
}
function lastState(line: string): string {
  const states = line.split('\r').filter((state) => state !== '');
  return states.at(-1) ?? '';
}

/** `cut`, or where the sequence begins that `cut` would cut in two, if that is not before `from`. */
export function escapeAcross(text: string, from: number, cut: number): number {
  const near = Math.max(from, cut - 64);
  const begins = text.slice(near, cut).lastIndexOf('\u001b');
  if (begins < 0) return cut;
  const length = ESCAPE_AT.exec(text.slice(near + begins, near + begins + 128))?.[0].length ?? 0;
  return near + begins + length > cut ? near + begins : cut;
}

/** Lines of text, without an empty one behind the last line end. */
export function linesOf(text: string): string[] {
  if (text === '') return [];
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
}
