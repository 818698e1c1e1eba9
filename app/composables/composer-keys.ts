/** What Enter means. Pure, so that the odd orders in which browsers report input methods can be tested. */

export interface KeyFacts {
  key: string;
  keyCode: number;
  isComposing: boolean;
  shiftKey: boolean;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
}

/**
 * The key belongs to an input method. `isComposing` is not enough: Safari ends the composition first and then reports the
 * Enter that confirmed a candidate with `isComposing` false and keyCode 229.
 * @see https://www.w3.org/TR/uievents/#determine-keydown-keyup-keyCode
 */
export function isComposingKey(event: Pick<KeyFacts, 'isComposing' | 'keyCode'>): boolean {
  return event.isComposing || event.keyCode === 229;
}

/**
 * `send`, or null to leave the key to the field. Enter sends where there is a keyboard (fine pointer) and makes a newline
 * under a thumb; with Ctrl or Cmd it always sends; with Shift or Alt it never does.
 */
export function composerKey(event: KeyFacts, coarse: boolean): 'send' | null {
  if (event.key !== 'Enter' || isComposingKey(event)) return null;
  if (event.ctrlKey || event.metaKey) return 'send';
  if (event.shiftKey || event.altKey || coarse) return null;
  return 'send';
}

/** For one-line fields (rename, sign in): Enter keeps, Escape leaves. */
export function fieldKey(event: KeyFacts): 'keep' | 'leave' | null {
  if (isComposingKey(event)) return null;
  if (event.key === 'Enter') return 'keep';
  return event.key === 'Escape' ? 'leave' : null;
}
