/**
 * Following the tail. It stops at the first upward gesture, before the first pixel has moved, and starts again when the
 * reader comes back to the bottom or sends something. Only gestures stop it: growth and measuring never do.
 */
import { onUnmounted, ref, watch, type Ref } from 'vue';

export interface FollowParts {
  scroller: Readonly<Ref<HTMLElement | null>>;
  /** Puts the last row's end at the bottom of the view. */
  toEnd(): void;
}
export interface Follow {
  readonly following: Ref<boolean>;
  /** Something has grown or was measured. */
  settle(): void;
  /** The view has moved to `offset`. */
  moved(offset: number): void;
}

/** Closer to the end than this is at the end. */
const NEAR = 4;
const UP_KEYS = new Set(['PageUp', 'ArrowUp', 'Home']);

export function useFollow(parts: FollowParts): Follow {
  const following = ref(true);
  let last = 0;
  let touchY = 0;

  const room = (): number => {
    const box = parts.scroller.value;
    return box === null ? 0 : box.scrollHeight - box.clientHeight;
  };
  const stop = (): void => {
    const box = parts.scroller.value;
    if (box !== null && box.scrollTop > 0 && room() > NEAR) following.value = false;
  };

  const onWheel = (event: WheelEvent): void => {
    if (event.deltaY < 0 && !event.ctrlKey && !scrollsInside(event.target, parts.scroller.value)) stop();
  };
  const onTouchStart = (event: TouchEvent): void => {
    touchY = event.touches[0]?.clientY ?? 0;
  };
  const onTouchMove = (event: TouchEvent): void => {
    const y = event.touches[0]?.clientY ?? touchY;
    if (y > touchY + 2 && !scrollsInside(event.target, parts.scroller.value)) stop();
    touchY = y;
  };
  const onKey = (event: KeyboardEvent): void => {
    if (isField(event.target)) return;
    if (UP_KEYS.has(event.key) || (event.key === ' ' && event.shiftKey)) stop();
  };
  const onPointer = (event: PointerEvent): void => {
    // On the scroll bar itself: it lies outside of the client box.
    const box = parts.scroller.value;
    if (box !== null && event.target === box && event.offsetX > box.clientWidth) stop();
  };

  watch(
    parts.scroller,
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
  const stopWatch = watch(following, (now) => {
    if (now) parts.toEnd();
  });
  onUnmounted(stopWatch);

  return {
    following,
    settle() {
      if (following.value) parts.toEnd();
    },
    moved(offset) {
      // Only a move downwards can bring the reader back: at rest at the bottom, what grows below is not followed unasked.
      if (!following.value && offset > last && room() - offset <= NEAR) following.value = true;
      last = offset;
    },
  };
}

function isField(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName));
}
/** Whether the gesture moves a box within the transcript, such as long output, which can still go up. */
function scrollsInside(target: EventTarget | null, outer: HTMLElement | null): boolean {
  for (let at = target instanceof Element ? target : null; at !== null && at !== outer; at = at.parentElement) {
    if (at.scrollTop > 0 && at.scrollHeight > at.clientHeight + 1 && getComputedStyle(at).overflowY !== 'visible') return true;
  }
  return false;
}
