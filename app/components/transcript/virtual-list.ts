/**
 * A list of which only the rows around the view are in the page. Rows stand in normal flow, with gaps in place of those that
 * are not there, so the browser itself lays out what grows; what it does to the reader's line is made up for before paint.
 */
import { nextTick, onUnmounted, shallowRef, watch, type Ref } from 'vue';
import { ReaderLine } from './reader-line.ts';
import type { Row } from './rows.ts';
import { ScrollMotion } from './scroll-motion.ts';
import { VirtualLayout, type Line } from './virtual-layout.ts';

export interface PlacedRow {
  readonly row: Row;
  /** Height of what is not in the page between this row and the one before. */
  readonly gap: number;
}
export interface Placed {
  readonly rows: readonly PlacedRow[];
  /** Height of what is not in the page below the last of them. */
  readonly below: number;
}
/** A place that the view is held at until the reader moves it. */
export interface Pin {
  readonly key: string;
  /** How far below the upper edge of the view, as a part of its height. */
  readonly at: number;
  /** What in the row stands there, once the row is in the page. */
  within(row: HTMLElement): HTMLElement;
}
export interface VirtualListParts {
  readonly scroller: Readonly<Ref<HTMLElement | null>>;
  readonly list: Readonly<Ref<HTMLElement | null>>;
  readonly rows: Readonly<Ref<readonly Row[]>>;
  readonly following: Readonly<Ref<boolean>>;
  /** Something that may have moved nodes inside rows without a change of their height. */
  readonly content: () => unknown;
  /** The reader has moved the view, from one `scrollTop` to another. */
  moved(offset: number, from: number): void;
  /** The view or what is in it has changed. */
  changed(): void;
}
export interface VirtualList {
  readonly placed: Readonly<Ref<Placed>>;
  /** The row's element, while it is in the page. */
  element(key: string): HTMLElement | null;
  /** Brings a row to its place in the view, and holds it there until the reader moves. Resolves once it is in the page. */
  pin(pin: Pin): Promise<void>;
  /** Distance of the view from both ends of the list; null: there is no view, or it is still to follow a change. */
  room(): { above: number; below: number; height: number } | null;
}

/** At least so much beyond each edge of the view is in the page, px. */
const OVERSCAN = 600;
/** A selection that spans more rows than this keeps its ends only. */
const SELECTED = 120;

export function useVirtualList(parts: VirtualListParts): VirtualList {
  const { scroller, list, rows, following } = parts;
  const layout = new VirtualLayout();
  const reader = new ReaderLine();
  const placed = shallowRef<Placed>({ rows: [], below: 0 });
  const elements = new Map<string, HTMLElement>();
  const unobserved = new Set<HTMLElement>();
  let motion: ScrollMotion | null = null;
  let line: Line = [];
  let pinned: Pin | null = null;
  let width = 0;
  let frame = 0;
  let soon = false;

  // ---------- which rows are in the page ----------
  function viewHeight(): number {
    return scroller.value?.clientHeight ?? 0;
  }
  /** Where the view should stand in the list as it is now, by what is known of heights. */
  function wanted(): number {
    const end = Math.max(0, layout.total - viewHeight());
    if (following.value) return end;
    const place = pinned === null ? undefined : layout.placeOf(pinned.key);
    const top = place === undefined ? (layout.topOf(line) ?? motion?.top ?? 0) : layout.offsetAt(place) - pinned!.at * viewHeight();
    return Math.max(0, Math.min(top, end));
  }
  /** Rows that hold the focus or the selection: taken out of the page they would lose it. */
  function kept(): Iterable<number> {
    const places = new Set<number>();
    const add = (node: Node | null): number | undefined => {
      const element = node instanceof Element ? node : (node?.parentElement ?? null);
      const key = element?.closest<HTMLElement>('[data-row]')?.dataset['row'];
      const place = key !== undefined && list.value?.contains(element) === true ? layout.placeOf(key) : undefined;
      if (place !== undefined) places.add(place);
      return place;
    };
    add(document.activeElement);
    const selection = document.getSelection();
    if (selection !== null && !selection.isCollapsed) {
      const from = add(selection.anchorNode);
      const to = add(selection.focusNode);
      if (from !== undefined && to !== undefined && Math.abs(to - from) <= SELECTED) {
        for (let place = Math.min(from, to); place <= Math.max(from, to); place++) places.add(place);
      }
    }
    return places;
  }
  function place(top: number): void {
    const height = viewHeight();
    const beyond = Math.max(height, OVERSCAN);
    const { first, last } = layout.range(top - beyond, top + height + beyond);
    const places = new Set(kept());
    for (let at = first; at <= last; at++) places.add(at);
    let end = 0;
    const next = [...places]
      .toSorted((a, b) => a - b)
      .map((at): PlacedRow => {
        const gap = layout.offsetAt(at) - end;
        end = layout.offsetAt(at + 1);
        return { row: rows.value[at]!, gap };
      });
    const now = placed.value;
    const below = layout.total - end;
    const isSame = now.below === below && now.rows.length === next.length;
    if (isSame && now.rows.every(({ row, gap }, at) => row === next[at]!.row && gap === next[at]!.gap)) return;
    placed.value = { rows: next, below };
  }
  /** Rows come into the page well before they are seen: half of what is beyond may be used up. */
  function isCovered(top: number): boolean {
    const height = viewHeight();
    const beyond = Math.max(height, OVERSCAN) / 2;
    const { first, last } = layout.range(top - beyond, top + height + beyond);
    for (let at = first; at <= last; at++) if (!elements.has(rows.value[at]!.key)) return false;
    return true;
  }

  // ---------- measuring ----------
  const observer = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      if (target === scroller.value) {
        if (scroller.value.clientWidth !== width) layout.forgetMeans();
        width = scroller.value.clientWidth;
      } else measure(target as HTMLElement);
    }
    sync();
  });
  function measure(element: HTMLElement): void {
    const key = element.dataset['row'];
    if (key !== undefined && elements.get(key) === element) layout.measure(key, element.getBoundingClientRect().height);
  }
  /** Takes note of the rows that came into the page and of those that left it. */
  function notice(): void {
    const before = new Map(elements);
    elements.clear();
    const fresh: HTMLElement[] = [];
    for (const element of (list.value?.children ?? []) as Iterable<HTMLElement>) {
      const key = element.dataset['row']!;
      elements.set(key, element);
      if (before.get(key) !== element) fresh.push(element);
    }
    for (const [key, element] of before) if (elements.get(key) !== element) observer.unobserve(element);
    for (const element of fresh) measure(element);
    if (fresh.length === 0) return;
    // Measured just now: to be told so again within this frame would be a loop.
    for (const element of fresh) unobserved.add(element);
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(() => {
      for (const element of unobserved) if (element.isConnected) observer.observe(element);
      unobserved.clear();
    });
  }

  // ---------- the reader's line ----------
  /** Makes up for what has changed, before it is painted. */
  function sync(): void {
    const box = scroller.value;
    if (box === null || motion === null || box.clientHeight === 0) return;
    const aim = following.value ? null : pinnedElement();
    if (following.value) motion.toEnd();
    else if (aim !== null) {
      const off = aim.getBoundingClientRect().top - box.getBoundingClientRect().top - pinned!.at * box.clientHeight;
      if (Math.abs(off) >= 0.5) motion.to(motion.top + off);
      pick();
    } else {
      const drift = reader.drift(box, motion.top);
      if (drift === null) {
        motion.to(wanted());
        pick();
      } else {
        const rest = Math.abs(drift) < 0.5 ? drift : motion.by(drift);
        // What an end of the list took away is gone; parts of a pixel are not, or they would add up.
        reader.keep(box, motion.top, Math.abs(rest) < 1 ? rest : 0);
      }
    }
    remember();
  }
  function pinnedElement(): HTMLElement | null {
    const row = pinned === null ? undefined : elements.get(pinned.key);
    return row === undefined ? null : pinned!.within(row);
  }
  function pick(): void {
    if (scroller.value !== null && motion !== null) reader.pick(scroller.value, motion.top, [...elements.values()]);
  }
  function remember(): void {
    const top = motion!.top;
    line = layout.lineAt(top);
    if (!isCovered(top)) place(following.value ? wanted() : top);
    parts.changed();
  }
  function onMoved(from: number): void {
    const box = scroller.value!;
    pinned = null;
    // What grew since the last look is no move of the reader's.
    const drift = following.value ? null : reader.drift(box, motion!.top);
    if (drift !== null && Math.abs(drift) >= 0.5) motion!.by(drift);
    parts.moved(box.scrollTop, from);
    if (!following.value) pick();
    remember();
  }
  function onChosen(): void {
    if (following.value || pinned !== null || motion === null) return;
    sync();
    pick();
  }

  // ---------- changes ----------
  /** Once everything in the rows has been rendered: some of it is filled in at the end of a flush. Still before paint. */
  function syncSoon(): void {
    if (soon) return;
    soon = true;
    void nextTick(() => {
      soon = false;
      notice();
      sync();
    });
  }
  watch(
    rows,
    (now) => {
      layout.setRows(now);
      place(wanted());
    },
    { immediate: true, flush: 'pre' },
  );
  watch(placed, syncSoon);
  watch(parts.content, () => !following.value && syncSoon());
  watch(
    following,
    (now) => {
      if (now) {
        pinned = null;
        reader.clear();
      } else pick();
    },
    { flush: 'sync' },
  );
  watch(following, (now) => now && syncSoon());
  watch(
    [scroller, list],
    ([box, element], _before, onCleanup) => {
      if (box === null || element === null) return;
      width = box.clientWidth;
      motion = new ScrollMotion({ box, list: element, moved: onMoved, still: remember });
      observer.observe(box);
      element.addEventListener('focusin', onChosen);
      document.addEventListener('selectionchange', onChosen);
      place(wanted());
      syncSoon();
      onCleanup(() => {
        motion?.stop();
        motion = null;
        observer.disconnect();
        element.removeEventListener('focusin', onChosen);
        document.removeEventListener('selectionchange', onChosen);
      });
    },
    { immediate: true, flush: 'post' },
  );
  onUnmounted(() => cancelAnimationFrame(frame));

  return {
    placed,
    element: (key) => elements.get(key) ?? null,
    async pin(pin) {
      pinned = pin;
      place(wanted());
      syncSoon();
      await nextTick();
      await nextTick();
    },
    room() {
      const height = viewHeight();
      if (motion === null || height === 0 || soon) return null;
      const above = motion.top;
      return { above, below: layout.total - height - above, height };
    },
  };
}
