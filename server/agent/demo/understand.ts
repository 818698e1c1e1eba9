/**
 * Plain English → what to do, in order. Pure and deterministic: the demo model's whole wit. It knows a handful of verbs,
 * takes them in combination, and says so when it does not understand.
 */
export type Intent =
  | { kind: 'list'; path: string | null }
  | { kind: 'read'; path: string }
  | { kind: 'search'; pattern: string; path: string | null }
  /** `content` null: a summary of what was seen. */
  | { kind: 'write'; path: string; content: string | null }
  | { kind: 'edit'; path: string; old: string; new: string }
  | { kind: 'run'; command: string }
  | { kind: 'count'; to: number }
  | { kind: 'story'; words: number }
  | { kind: 'plan'; about: string }
  | { kind: 'think'; about: string }
  | { kind: 'greet' }
  | { kind: 'unknown'; words: string };

const VERBS =
  'list|ls|show|read|open|print|cat|display|search|grep|find|look|write|create|make|save|put|edit|replace|change|run|execute|plan|think|count|tell|summari[sz]e|in';
const MOST_WORDS = 5000;

/** All intents of a prompt, in order; at least one. */
export function understand(prompt: string): Intent[] {
  const intents: Intent[] = [];
  let editing: string | null = null;
  for (const clause of clauses(prompt)) {
    const opened = /^(?:edit|in)\s+(\S+?)[,:]?$/i.exec(clause);
    if (opened !== null) {
      editing = path(opened[1]!);
      continue;
    }
    const intent: Intent = oneIntent(clause, editing);
    // "… and summarise it": what the earlier steps found is summed up at the end in any case.
    if (intent.kind === 'unknown' && intents.length > 0 && /^(summari[sz]e|tell|show|say|explain)\b/i.test(clause)) continue;
    intents.push(intent);
  }
  if (intents.length === 0 && editing !== null) intents.push({ kind: 'read', path: editing });
  return withSomethingToSum(intents.length > 0 ? intents : [{ kind: 'unknown', words: prompt.trim() }]);
}

/** A summary needs something to sum up: the folder, if nothing else was looked at before. */
function withSomethingToSum(intents: Intent[]): Intent[] {
  const at = intents.findIndex((intent) => intent.kind === 'write' && intent.content === null);
  if (at < 0 || intents.slice(0, at).some((intent) => ['list', 'read', 'search', 'run'].includes(intent.kind))) return intents;
  return [...intents.slice(0, at), { kind: 'list', path: null }, ...intents.slice(at)];
}

/** The prompt cut at "then", "and <verb>", sentence ends and lines, but never inside quotes. */
function clauses(prompt: string): string[] {
  const quoted: string[] = [];
  const masked = prompt.replace(/```[\s\S]*?```|`[^`]*`|"[^"]*"|“[^”]*”|(?<![\p{L}\p{N}])'[^']*'(?![\p{L}\p{N}])/gu, (text) => {
    quoted.push(text);
    return `\ue000${quoted.length - 1}\ue001`;
  });
  const separator = new RegExp(
    `\\n+|[,;.]?\\s+(?:and\\s+)?then\\s+|[,;]?\\s+and\\s+(?:also\\s+)?(?=(?:${VERBS})\\b)|[,;]\\s+(?=(?:${VERBS})\\b)|[.!?]\\s+`,
    'i',
  );
  return masked
    .split(separator)
    .map((clause) => clause.replace(/\ue000(\d+)\ue001/g, (_all, at: string) => quoted[Number(at)] ?? ''))
    .map((clause) => clause.trim().replace(/[.,;!?]+$/, ''))
    .map((clause) =>
      clause.replace(/^(?:(?:please|now|also|first|finally|next|then|and|can you|could you|would you|i want you to|go and)[, ]+)+/i, ''),
    )
    .filter((clause) => clause !== '');
}

const FILE = '("[^"]+"|`[^`]+`|\'[^\']+\'|“[^”]+”|[\\w@~.\\-/]*[\\w\\-/][\\w@~.\\-/]*)';
const PATHLIKE = '("[^"]+"|`[^`]+`|\'[^\']+\'|“[^”]+”|[\\w@~\\-/]*\\.?[\\w\\-/]+[./][\\w@~.\\-/]*|[\\w\\-]+/)';

function match(clause: string, pattern: string): RegExpExecArray | null {
  return new RegExp(`^${pattern}$`, 'is').exec(clause);
}

function oneIntent(clause: string, editing: string | null): Intent {
  return (
    longText(clause) ??
    write(clause) ??
    edit(clause, editing) ??
    look(clause) ??
    run(clause) ??
    thought(clause) ?? { kind: 'unknown', words: clause }
  );
}

function longText(clause: string): Intent | null {
  const count = /^count\b.*?\bto\s+(\d+)/i.exec(clause);
  if (count !== null) return { kind: 'count', to: Math.min(Number(count[1]), MOST_WORDS) };
  if (
    !/\b(story|essay|tale|answer|text)\b/i.test(clause) ||
    new RegExp(`\\b(?:to|into|in)\\s+(?:a\\s+file\\s+)?${PATHLIKE}`, 'i').test(clause)
  )
    return null;
  if (!/^(write|tell|make|give)\b/i.test(clause) || /\b(file|with)\b/i.test(clause)) return null;
  const words = /(\d+)[- ]words?/i.exec(clause);
  return { kind: 'story', words: words === null ? 300 : Math.min(Math.max(Number(words[1]), 1), MOST_WORDS) };
}

const NO_FILE = /^(?:a|an|the|file|note|notes|text|summary|something|it|this)$/i;

function write(clause: string): Intent | null {
  const verb = '(?:write|create|make|save|put)';
  const article = '(?:(?:a|the)\\s+)?(?:new\\s+)?(?:file\\s+)?(?:called\\s+|named\\s+)?';
  const holding = '(?:\\s*[,:]?\\s+(?:with|containing|saying|that says|which says|holding)\\s+(.+)|:\\s+(.+))';
  const named = match(clause, `${verb}\\s+${article}${FILE}${holding}`) ?? match(clause, `${verb}\\s+${article}${PATHLIKE}`);
  if (named !== null && !NO_FILE.test(named[1]!)) {
    return { kind: 'write', path: path(named[1]!), content: content(named[2] ?? named[3] ?? 'a summary') };
  }
  const into = match(clause, `${verb}\\s+(.+?)\\s+(?:to|into|in|as)\\s+${article}${PATHLIKE}`);
  return into === null ? null : { kind: 'write', path: path(into[2]!), content: content(into[1]!) };
}

/** Null: a summary was asked for. */
function content(words: string): string | null {
  const bare = words.replace(/^(?:the\s+)?(?:text|contents?|words?|line)s?\s+/i, '').trim();
  const literal = unquote(bare);
  if (literal !== bare) return literal;
  return /\b(summary|overview|notes?|description|what (?:you|is|was)|findings|the (?:list|result|output)s?)\b/i.test(bare) ? null : bare;
}

function edit(clause: string, editing: string | null): Intent | null {
  const what = '(?:replace|change)\\s+(.+?)\\s+(?:with|by|to|into)\\s+(.+?)';
  const within = match(clause, `${what}\\s+in\\s+(?:the\\s+)?(?:file\\s+)?${FILE}`);
  if (within !== null) return { kind: 'edit', path: path(within[3]!), old: unquote(within[1]!), new: unquote(within[2]!) };
  const first = match(clause, `(?:in|edit)\\s+(?:the\\s+)?(?:file\\s+)?${FILE}\\s*[,:]?\\s+(?:and\\s+|to\\s+)?${what}`);
  if (first !== null) return { kind: 'edit', path: path(first[1]!), old: unquote(first[2]!), new: unquote(first[3]!) };
  const bare = editing === null ? null : match(clause, what);
  return bare === null || editing === null ? null : { kind: 'edit', path: editing, old: unquote(bare[1]!), new: unquote(bare[2]!) };
}

const HERE = /^(?:this|the|my|here|there|it|workspace|folder|directory)$/i;

function look(clause: string): Intent | null {
  if (/^(?:list|ls)\b/i.test(clause) || /^(?:show|what|which|display)\b.*\b(?:files|folders?|director(?:y|ies))\b/i.test(clause)) {
    const place = new RegExp(`\\b(?:in|of|under|inside)\\s+(?:the\\s+)?(?:folder\\s+|directory\\s+)?${FILE}`, 'i').exec(clause);
    const bare = new RegExp(`^(?:list|ls)\\s+${PATHLIKE}$`, 'i').exec(clause);
    const named = bare?.[1] ?? place?.[1] ?? null;
    return { kind: 'list', path: named === null || HERE.test(named) ? null : path(named) };
  }
  const file = '\\s+(?:me\\s+)?(?:the\\s+)?(?:contents?\\s+of\\s+)?(?:the\\s+)?(?:file\\s+)?';
  const read =
    match(clause, `(?:read|open|cat)${file}${FILE}(?:\\s+file)?`) ??
    match(clause, `(?:show|print|display|explain|summari[sz]e)${file}${PATHLIKE}(?:\\s+file)?`);
  if (read !== null && !HERE.test(read[1]!)) return { kind: 'read', path: path(read[1]!) };
  const search = match(
    clause,
    `(?:search|grep|find|look)\\s+(?:everywhere\\s+)?(?:(?:the\\s+)?(?:files?|folder|workspace)\\s+)?(?:for\\s+)?(?:(?:the|every|each|all|any)\\s+)?(?:words?\\s+|text\\s+|string\\s+)?(.+?)(?:\\s+(?:in|under|inside)\\s+(.+?))?`,
  );
  if (search === null) return null;
  const place = search[2] === undefined ? null : path(search[2].replace(/^(?:the|this|my|all)\s+/i, ''));
  return {
    kind: 'search',
    pattern: unquote(search[1]!),
    path: place === null || HERE.test(place) || /^files?$/i.test(place) ? null : place,
  };
}

function run(clause: string): Intent | null {
  const found = match(clause, '(?:run|execute)\\s+(?:the\\s+)?(?:shell\\s+)?(?:command\\s+)?(.+)');
  return found === null ? null : { kind: 'run', command: unquote(found[1]!) };
}

function thought(clause: string): Intent | null {
  const plan = match(clause, '(?:plan|(?:make|write|propose)\\s+(?:me\\s+)?a\\s+plan)\\s*(?:for|to|how to)?\\s*(.*)');
  if (plan !== null) return { kind: 'plan', about: plan[1] === '' ? 'the work in this folder' : plan[1]! };
  const think = match(clause, 'think\\s*(?:hard\\s*|deeply\\s*)?(?:about|of|on|over)?\\s*(.*)');
  if (think !== null) return { kind: 'think', about: think[1] === '' ? 'this folder' : think[1]! };
  return /^(?:hi|hello|hey|good (?:morning|evening|day)|help|(?:(?:tell|show) me )?what (?:can you|you can) do|who are you)\b/i.test(clause)
    ? { kind: 'greet' }
    : null;
}

function path(text: string): string {
  return unquote(text).replace(/[.,;:!?]+$/, '') || '.';
}

function unquote(text: string): string {
  const bare = text.trim();
  const fence = /^```\w*\n?([\s\S]*?)\n?```$/.exec(bare);
  if (fence !== null) return fence[1]!;
  return /^(?:"[^"]*"|`[^`]*`|'[^']*'|“[^”]*”)$/.test(bare) ? bare.slice(1, -1) : bare;
}
