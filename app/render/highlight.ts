/**
 * Colour for code, loaded when the first block asks for it: highlight.js core and a dozen languages, each its own file. The
 * language is the one that was named, never a guess. Answers segments of plain text, so that no HTML reaches the DOM here.
 */
import type { HLJSApi, LanguageFn } from 'highlight.js';
import { whenIdle } from './idle.ts';

export interface Segment {
  readonly text: string;
  /** A class of the look: keyword, string, number, name, type, comment; empty: plain. */
  readonly look: '' | 'k' | 's' | 'd' | 'f' | 't' | 'm';
}

/** Longer code stays plain: colour is not worth a stall. */
const MAX_CHARS = 32_000;
/** Coloured in one go. */
const PART_CHARS = 3000;

type Loader = () => Promise<{ default: LanguageFn }>;
const LANGUAGES: Record<string, Loader> = {
  bash: () => import('highlight.js/lib/languages/bash'),
  c: () => import('highlight.js/lib/languages/c'),
  cpp: () => import('highlight.js/lib/languages/cpp'),
  css: () => import('highlight.js/lib/languages/css'),
  diff: () => import('highlight.js/lib/languages/diff'),
  go: () => import('highlight.js/lib/languages/go'),
  java: () => import('highlight.js/lib/languages/java'),
  javascript: () => import('highlight.js/lib/languages/javascript'),
  json: () => import('highlight.js/lib/languages/json'),
  markdown: () => import('highlight.js/lib/languages/markdown'),
  python: () => import('highlight.js/lib/languages/python'),
  rust: () => import('highlight.js/lib/languages/rust'),
  sql: () => import('highlight.js/lib/languages/sql'),
  typescript: () => import('highlight.js/lib/languages/typescript'),
  xml: () => import('highlight.js/lib/languages/xml'),
  yaml: () => import('highlight.js/lib/languages/yaml'),
};
/** Other names and file endings of each language. */
const ALIASES = byAlias({
  bash: 'sh shell zsh console',
  c: 'h',
  cpp: 'cc hpp c++',
  diff: 'patch',
  go: 'golang',
  javascript: 'js jsx mjs cjs',
  json: 'jsonc',
  markdown: 'md',
  python: 'py',
  rust: 'rs',
  typescript: 'ts tsx mts cts',
  xml: 'html svg vue',
  yaml: 'yml',
});
/** highlight.js's classes by how the look shows them. */
const LOOKS = byAlias({
  k: 'keyword selector-tag selector-pseudo meta section doctag deletion',
  s: 'string regexp addition link template-tag',
  m: 'comment quote',
  d: 'number literal symbol bullet',
  f: 'title function attr attribute name tag property selector-class selector-id',
  t: 'type built_in class template-variable variable',
});
function byAlias(names: Record<string, string>): ReadonlyMap<string, string> {
  return new Map(Object.entries(names).flatMap(([name, aliases]) => aliases.split(' ').map((alias) => [alias, name] as const)));
}

/** The language of that name or file ending as it is known here; null: none. */
export function knownLanguage(name: string): string | null {
  const key = name.toLowerCase();
  const known = ALIASES.get(key) ?? key;
  return Object.hasOwn(LANGUAGES, known) ? known : null;
}
/** By a path's ending. */
export function languageOfPath(path: string): string | null {
  const ending = /\.([A-Za-z0-9+]+)$/.exec(path)?.[1];
  return ending === undefined ? null : knownLanguage(ending);
}

let core: Promise<HLJSApi> | null = null;
const loading = new Map<string, Promise<void>>();

async function load(language: string): Promise<HLJSApi> {
  core ??= import('highlight.js/lib/core').then((module) => module.default);
  const api = await core;
  let pending = loading.get(language);
  if (pending === undefined) {
    pending = LANGUAGES[language]!().then((module) => api.registerLanguage(language, module.default));
    loading.set(language, pending);
  }
  await pending;
  return api;
}

/**
 * Segments of each of `pieces` (whole blocks, or single lines of a diff), in order; made when the page is idle, a part at a
 * time, while `wanted`. Null: not wanted any more, unknown language, too long, or the language's file could not be fetched (offline, before it was ever used); then
 * the code stays plain.
 */
export async function highlight(pieces: readonly string[], name: string, wanted = (): boolean => true): Promise<Segment[][] | null> {
  const language = knownLanguage(name);
  if (language === null || pieces.reduce((sum, piece) => sum + piece.length, 0) > MAX_CHARS) return null;
  let api: HLJSApi;
  try {
    api = await load(language);
  } catch (error) {
    loading.delete(language);
    core = loading.size === 0 ? null : core;
    console.info('code stays plain: its language could not be loaded', language, error);
    return null;
  }
  const found: Segment[][] = [];
  while (found.length < pieces.length) {
    await idle(wanted);
    if (!wanted()) return null;
    for (let chars = 0; found.length < pieces.length && chars < PART_CHARS;) {
      const piece = pieces[found.length]!;
      found.push(segmentsOf(api.highlight(piece, { language, ignoreIllegals: true }).value));
      chars += piece.length + 20;
    }
  }
  return found;
}
const idle = (wanted: () => boolean): Promise<void> => new Promise((resolve) => whenIdle(resolve, wanted));

const ENTITIES: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#x27;': "'" };

/** Reads highlight.js's answer, which is nothing but `<span class>`, `</span>` and five entities. */
export function segmentsOf(html: string): Segment[] {
  const segments: Segment[] = [];
  const stack: Segment['look'][] = [''];
  for (const [part] of html.matchAll(/<span class="[^"]*">|<\/span>|[^<]+/g)) {
    if (part === '</span>') stack.pop();
    else if (part.startsWith('<')) stack.push(lookOf(part.slice(13, -2)) || stack.at(-1)!);
    else {
      const text = part.replace(/&(?:amp|lt|gt|quot|#x27);/g, (entity) => ENTITIES[entity]!);
      segments.push({ text, look: stack.at(-1) ?? '' });
    }
  }
  return segments;
}
function lookOf(classes: string): Segment['look'] {
  const first = classes.split(' ')[0]!.replace(/^hljs-/, '');
  return (LOOKS.get(first) ?? '') as Segment['look'];
}
