/** The environment that commands get: the server's own, without its secrets and without what a `npm start` left in it. */

/** Cairn's and the provider's settings hold tokens; npm's describe Cairn's own package and would mislead another's scripts. */
const LEFT_OUT =
  /^(CAIRN_|ANTHROPIC_|npm_package_|npm_lifecycle_|npm_command$|npm_execpath$|npm_node_execpath$|npm_config_local_prefix$|INIT_CWD$)/i;
/** Settings of Cairn's under general names, and what would claim a terminal. */
const ALSO_LEFT_OUT = new Set(['PORT', 'HOST', 'GPG_TTY', 'SSH_TTY', 'FORCE_COLOR', 'COLUMNS', 'LINES']);

const NO_EDITOR = `sh -c 'echo "There is no terminal: an editor cannot be opened. Give the text on the command line." >&2; exit 1'`;

/** What says plainly "no" to anything that would wait for a person (B51). */
const UNATTENDED: Readonly<Record<string, string>> = {
  TERM: 'dumb',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  EDITOR: NO_EDITOR,
  VISUAL: NO_EDITOR,
  GIT_EDITOR: NO_EDITOR,
  GIT_SEQUENCE_EDITOR: NO_EDITOR,
  GIT_TERMINAL_PROMPT: '0',
  SSH_ASKPASS_REQUIRE: 'never',
};

export function childEnv(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && !LEFT_OUT.test(name) && !ALSO_LEFT_OUT.has(name)) kept[name] = value;
  }
  return { ...kept, ...UNATTENDED };
}
