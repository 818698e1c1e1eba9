/** Words to the clipboard, also where a page has none of its own (plain HTTP on a LAN address). */

/** True: the words are in the clipboard. */
export async function copyText(text: string): Promise<boolean> {
  if (window.isSecureContext) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch (error) {
      console.info('the clipboard was refused; trying the old way', error);
    }
  }
  const field = document.createElement('textarea');
  field.value = text;
  field.readOnly = true;
  field.className = 'sr';
  const focused = document.activeElement;
  document.body.append(field);
  field.select();
  // The only way left without a secure context; deprecated, and supported everywhere.
  const worked = document.execCommand('copy');
  field.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return worked;
}
