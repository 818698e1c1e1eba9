/**
 * The window: the bounded, unbroken stretch of a session's shown chunks that is in reactive state. Pure. `from` and `to` are
 * seqs, both included: every shown chunk of that stretch is in `chunks`, so no page edge can hide a hole (law 10).
 */
import { isShown, type ChunkRecord, type LogRecord } from '#shared/protocol/records.ts';

export interface Window {
  readonly chunks: readonly ChunkRecord[];
  readonly from: number;
  readonly to: number;
}
/** Nothing yet, right behind `seq`. */
export function emptyWindow(seq: number): Window {
  return { chunks: [], from: seq + 1, to: seq };
}
export interface Stretch {
  records: readonly LogRecord[];
  from: number;
  to: number;
}

function shownOf(records: readonly LogRecord[]): ChunkRecord[] {
  return records.filter((record): record is ChunkRecord => record.kind === 'chunk' && isShown(record));
}

/** The newest part of a stretch, with at most `count` shown chunks. */
export function newestOf(stretch: Stretch, count: number): Stretch {
  const shown = shownOf(stretch.records);
  if (shown.length <= count) return stretch;
  const from = shown.at(-count - 1)!.seq + 1;
  return { records: stretch.records.filter(({ seq }) => seq >= from), from, to: stretch.to };
}
/** The oldest part likewise. */
export function oldestOf(stretch: Stretch, count: number): Stretch {
  const shown = shownOf(stretch.records);
  if (shown.length <= count) return stretch;
  const to = shown[count]!.seq - 1;
  return { records: stretch.records.filter(({ seq }) => seq <= to), from: stretch.from, to };
}

/** A window of the newest `room` chunks of a stretch. */
export function windowOf(stretch: Stretch, room: number): Window {
  return dropOldest({ chunks: shownOf(stretch.records), from: stretch.from, to: stretch.to }, room);
}

/** Drops oldest chunks until at most `room` are left. */
export function dropOldest(window: Window, room: number): Window {
  const over = window.chunks.length - Math.max(0, room);
  if (over <= 0) return window;
  return { chunks: window.chunks.slice(over), from: window.chunks[over - 1]!.seq + 1, to: window.to };
}
/** Drops newest chunks until at most `room` are left. */
export function dropNewest(window: Window, room: number): Window {
  const kept = Math.max(0, room);
  if (window.chunks.length <= kept) return window;
  return { chunks: window.chunks.slice(0, kept), from: window.from, to: window.chunks[kept]!.seq - 1 };
}

/** Keeps the `room` chunks about `near`, the seq where the reader is: the end that is farther from it gives way first. */
export function shrink(window: Window, near: number, room: number): Window {
  const count = window.chunks.length;
  if (count <= room) return window;
  const at = window.chunks.findIndex(({ seq }) => seq >= near);
  const middle = (at === -1 ? count : at) - Math.floor(room / 2);
  const first = Math.max(0, Math.min(middle, count - room));
  return dropNewest(dropOldest(window, count - first), room);
}

/**
 * Takes dense records that go on from the window. At the tail the oldest give way; a reader who has scrolled up keeps what
 * is in view, and the window ends where `room` does (the rest is in the mirror). Records that do not join it change nothing.
 */
export function append(window: Window, records: readonly LogRecord[], room: number, atTail: boolean): Window {
  const fresh = records.filter((record) => record.seq > window.to);
  if (fresh.length === 0 || fresh[0]!.seq !== window.to + 1) return window;
  const grown = { chunks: [...window.chunks, ...shownOf(fresh)], from: window.from, to: fresh.at(-1)!.seq };
  return atTail ? dropOldest(grown, room) : dropNewest(grown, Math.max(room, window.chunks.length));
}

/** Takes an older stretch that ends right above the window; the far, newest end gives way. */
export function prepend(window: Window, older: Stretch, room: number): Window {
  if (older.to !== window.from - 1 || older.from > older.to) return window;
  const grown = { chunks: [...shownOf(older.records), ...window.chunks], from: older.from, to: window.to };
  return dropNewest(grown, room);
}
/** Takes a newer stretch that begins right below the window; the far, oldest end gives way. */
export function extend(window: Window, newer: Stretch, room: number): Window {
  if (newer.from !== window.to + 1 || newer.from > newer.to) return window;
  return dropOldest({ chunks: [...window.chunks, ...shownOf(newer.records)], from: window.from, to: newer.to }, room);
}
