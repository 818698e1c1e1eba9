/**
 * Following the tail. It stops at the first upward gesture, before the first pixel has moved, and starts again when the
 * reader comes back to the bottom or sends something. Only gestures stop it: growth and measuring never do.
 */
import { onMounted, onUnmounted, ref, watch, type Ref } from 'vue';

export interface FollowParts {
  readonly scroller: Readonly<Ref<HTMLElement | null>>;
  /** The list's end is the newest there is: only there is a tail to follow. */
  readonly atEnd: () => boolean;
  /** The reader asks for the newest, which is not in the list. */
  toTail(): void;
}
export interface Follow {
  readonly following: Ref<boolean>;
  /** The view was moved from one offset to another, and not by the list. */
  moved(offset: number, from: number): void;
}

/** Closer to the end than this is at the end. */
const NEAR = 4;
const UP_KEYS = new Set(['PageUp', 'ArrowUp', 'Home']);
const DOWN_KEYS = new Set(['PageDown', 'ArrowDown', ' ']);
/** With Ctrl or ⌘: find, and find the next. */
const FIND_KEYS = new Set(['f', 'g']);

export function useFollow(parts: FollowParts): Follow {
  const { scroller } = parts;
  const following = ref(true);
  let downwards = true;
  let touchY = 0;

  const stop = (): void => {
    const box = scroller.value;
    if (box !== null && box.scrollTop > 0 && box.scrollHeight - box.clientHeight > NEAR) following.value = false;
  };
  /** A gesture that goes down at the bottom moves nothing, and means the tail all the same. */
  const back = (): void => {
    const box = scroller.value;
    if (box !== null && below(box) <= NEAR && parts.atEnd()) following.value = true;
  };

  const onWheel = (event: WheelEvent): void => {
    if (event.ctrlKey || event.deltaY === 0 || scrollsInside(event.target, scroller.value, Math.sign(event.deltaY))) return;
    if (event.deltaY < 0) stop();
    else back();
  };
  const onTouchStart = (event: TouchEvent): void => {
    touchY = event.touches[0]?.clientY ?? 0;
  };
  const onTouchMove = (event: TouchEvent): void => {
    const y = event.touches[0]?.clientY ?? touchY;
    if (y > touchY + 2 && !scrollsInside(event.target, scroller.value, -1)) stop();
    if (y < touchY - 2 && !scrollsInside(event.target, scroller.value, 1)) back();
    touchY = y;
  };
  const onKey = (event: KeyboardEvent): void => {
    if (isField(event.target) || event.ctrlKey || event.metaKey || event.altKey) return;
    const box = scroller.value;
    const up = UP_KEYS.has(event.key) || (event.key === ' ' && event.shiftKey);
    if (box === null || scrollsInside(event.target, box, up ? -1 : 1)) return;
    if (up) stop();
    // To either end at once: on a way through rows that are measured only then, the browser would stop where the end is guessed.
    if (event.key === 'Home') box.scrollTop = 0;
    else if (event.key === 'End' && parts.atEnd()) following.value = true;
    else if (event.key === 'End') parts.toTail();
    else if (DOWN_KEYS.has(event.key) && !up) back();
  };
  const onPointer = (event: PointerEvent): void => {
    // On the scroll bar itself: it lies outside of the client box.
    const box = scroller.value;
    if (box !== null && event.target === box && event.offsetX > box.clientWidth) stop();
  };
  /** The browser's own search moves the view wherever the focus is, and tells nobody. */
  const onFind = (event: KeyboardEvent): void => {
    const isFind = (event.ctrlKey || event.metaKey) && !event.altKey && FIND_KEYS.has(event.key.toLowerCase());
    if (isFind || event.key === 'F3') stop();
  };
  /** Words that are being marked must not move away under the pointer. */
  const onSelection = (): void => {
    const selection = document.getSelection();
    if (selection !== null && !selection.isCollapsed && scroller.value?.contains(selection.anchorNode) === true) stop();
  };

  watch(
    scroller,
    (box, before) => {
      for (const [element, change] of [
        [before, 'removeEventListener'],
        [box, 'addEventListener'],
      ] as const) {
        element?.[change]('wheel', onWheel as EventListener, { passive: true });
        element?.[change]('touchstart', onTouchStart as EventListener, { passive: true });
        element?.[change]('touchmove', onTouchMove as EventListener, { passive: true });
        element?.[change]('keydown', onKey as EventListener);
        element?.[change]('pointerdown', onPointer as EventListener);
      }
    },
    { immediate: true, flush: 'post' },
  );
  onMounted(() => {
    window.addEventListener('keydown', onFind, { capture: true });
    document.addEventListener('selectionchange', onSelection);
  });
  onUnmounted(() => {
    window.removeEventListener('keydown', onFind, { capture: true });
    document.removeEventListener('selectionchange', onSelection);
  });
  // The list's end became the tail under a reader who had gone down to it.
  watch(parts.atEnd, (now) => now && downwards && back(), { flush: 'post' });

  return {
    following,
    moved(offset, from) {
      const box = scroller.value;
      if (box === null) return;
      downwards = offset > from;
      // What no listener here can see moves up too: the scroll bar, the browser's search, a screen reader.
      if (following.value && offset < from - 1 && below(box) > NEAR) following.value = false;
      // Only a move downwards can bring the reader back: at rest at the bottom, what grows below is not followed unasked.
      else if (downwards) back();
    },
  };
}

/** How far the view is from its lowest place. */
function below(box: HTMLElement): number {
  return box.scrollHeight - box.clientHeight - box.scrollTop;
}
function isField(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName));
}
/** Whether the gesture moves a box within the transcript, such as long output, which can still go that way. */
function scrollsInside(target: EventTarget | null, outer: HTMLElement | null, way: number): boolean {
  for (let at = target instanceof Element ? target : null; at !== null && at !== outer; at = at.parentElement) {
    const room = way < 0 ? at.scrollTop : at.scrollHeight - at.clientHeight - at.scrollTop;
    if (room > 1 && at.scrollHeight > at.clientHeight + 1 && scrollable(at)) return true;
  }
  return false;
}
function scrollable(element: Element): boolean {
  const { overflowY } = getComputedStyle(element);
  return overflowY === 'auto' || overflowY === 'scroll';
}
