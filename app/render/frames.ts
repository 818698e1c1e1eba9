/**
 * Frames around what is wide: code with its language and a copy button, tables that scroll in themselves. Built from nodes
 * and text alone, after cleaning: nothing here parses text as HTML.
 */
import { copyText } from './clipboard.ts';
import { highlight, type Segment } from './highlight.ts';

export interface CodeFrame {
  readonly root: HTMLElement;
  /** `closed`: no more of it will come; only then is it coloured. */
  show(text: string, lang: string, closed: boolean): void;
}

const COPIED_MS = 1600;

/** An empty frame. */
export function codeFrame(): CodeFrame {
  const root = make('figure', 'code');
  const head = make('figcaption', 'code__head');
  const label = make('span', 'code__lang');
  const button = make('button', 'btn');
  const pre = make('pre', 'code__text');
  const code = make('code', '');
  let words = document.createTextNode('');
  let shown = '';
  button.type = 'button';
  button.dataset['kind'] = 'quiet';
  button.dataset['size'] = 's';
  button.textContent = 'Copy';
  button.setAttribute('aria-label', 'Copy code');
  button.addEventListener('click', () => {
    void copyText(shown).then((worked) => {
      button.textContent = worked ? 'Copied' : 'Select it to copy';
      window.setTimeout(() => (button.textContent = 'Copy'), COPIED_MS);
    });
  });
  pre.dir = 'ltr';
  pre.tabIndex = 0;
  code.append(words);
  pre.append(code);
  head.append(label, button);
  root.append(head, pre);

  let asked = '';
  return {
    root,
    show(text, lang, closed) {
      label.textContent = lang === '' ? 'text' : lang;
      pre.setAttribute('aria-label', lang === '' ? 'Code' : `Code, ${lang}`);
      if (text !== shown) {
        if (words.isConnected || words.parentNode === code) {
          if (text.startsWith(shown)) words.appendData(text.slice(shown.length));
          else words.data = text;
        } else {
          words = document.createTextNode(text);
          code.replaceChildren(words);
        }
        shown = text;
      }
      const ask = closed ? `${lang}\n${text}` : '';
      if (ask === asked) return;
      asked = ask;
      if (!closed || lang === '') return;
      void highlight([text], lang).then((found) => {
        if (found !== null && asked === ask) code.replaceChildren(...nodesOf(found[0]!));
      });
    },
  };
}

/** Text nodes, in spans where they have a colour. */
export function nodesOf(segments: readonly Segment[]): Node[] {
  return segments.map(({ text, look }) => {
    if (look === '') return document.createTextNode(text);
    const span = make('span', look);
    span.textContent = text;
    return span;
  });
}

/** Gives code inside lists and quotes the same frame. */
export function framePres(nodes: DocumentFragment, closed: boolean): void {
  for (const pre of nodes.querySelectorAll('pre')) {
    const code = pre.querySelector('code');
    const frame = codeFrame();
    frame.show((code ?? pre).textContent ?? '', code?.dataset['lang'] ?? '', closed);
    pre.replaceWith(frame.root);
  }
}
/** A wide table scrolls in its own box, also by keyboard. */
export function frameTables(nodes: DocumentFragment): void {
  for (const table of nodes.querySelectorAll('table')) {
    const box = make('div', 'md__table');
    box.tabIndex = 0;
    box.setAttribute('role', 'group');
    box.setAttribute('aria-label', 'Table');
    table.replaceWith(box);
    box.append(table);
  }
}

function make<K extends keyof HTMLElementTagNameMap>(tag: K, className: string): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  if (className !== '') element.className = className;
  return element;
}
