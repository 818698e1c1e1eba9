/**
 * Every setting of the server, in one table, and the help made from it. Plain JavaScript, since `start.mjs` prints the help
 * before anything is built; `config.ts` reads the same table, so no flag can be parsed that the help does not list.
 */

/** @type {import('./options.mjs').Option[]} */
export const OPTIONS = [
  { flag: 'port', variable: 'PORT', value: 'number', help: 'Port to listen on (4646; 0: any free one).' },
  { flag: 'host', variable: 'HOST', value: 'address', help: 'Address to listen on (127.0.0.1).' },
  {
    flag: 'data-dir',
    variable: 'CAIRN_DATA_DIR',
    value: 'folder',
    help: 'Where sessions and the sign-in token are kept ($XDG_DATA_HOME/cairn, else ~/.local/share/cairn).',
  },
  {
    flag: 'workspace-roots',
    variable: 'CAIRN_WORKSPACE_ROOTS',
    value: 'folders',
    help: 'Folders that agents may work in, separated by commas or by the separator of PATH (your home folder).',
  },
  {
    flag: 'token',
    variable: 'CAIRN_TOKEN',
    value: 'text',
    help: 'Sign-in token, 8 characters or more (else made at the first start and kept in the data folder).',
  },
  {
    flag: 'tls-cert',
    variable: 'CAIRN_TLS_CERT',
    value: 'file',
    help: 'Certificate (PEM). With its key, serves HTTPS, which a phone needs.',
  },
  { flag: 'tls-key', variable: 'CAIRN_TLS_KEY', value: 'file', help: 'Private key (PEM) of the certificate.' },
  {
    flag: 'origins',
    variable: 'CAIRN_ORIGINS',
    value: 'origins',
    help: 'Further origins that may use this server, exact and separated by commas, such as https://box.example.net.',
  },
  {
    flag: 'keep-awake',
    variable: 'CAIRN_KEEP_AWAKE',
    value: 'on|off',
    help: 'Whether this machine is kept from going to sleep while an agent works, where the system offers it (on).',
  },
  { flag: 'model', variable: 'CAIRN_MODEL', value: 'name', help: 'Model for sessions that name none.' },
  {
    flag: 'wire',
    variable: 'CAIRN_WIRE',
    value: 'anthropic|plain',
    help: 'How to speak to the model: anthropic, or plain for other servers of the same API (plain once a base URL is set).',
  },
  {
    flag: 'api-key',
    variable: 'ANTHROPIC_API_KEY',
    value: 'key',
    help: 'API key. With no key, auth token or base URL the built-in demo model serves. Other users can see flags: prefer the variable.',
  },
  { flag: 'auth-token', variable: 'ANTHROPIC_AUTH_TOKEN', value: 'token', help: 'Bearer token in place of a key.' },
  {
    flag: 'base-url',
    variable: 'ANTHROPIC_BASE_URL',
    value: 'url',
    help: 'Another server of the same API, such as http://127.0.0.1:11434.',
  },
];

/** The text of `--help`: every flag with its variable, one entry each. */
export function helpText() {
  const lines = [
    'Usage: npm start -- [flags]',
    '',
    'Runs Cairn. Each setting is a flag or an environment variable; a flag wins, and an empty one counts as unset.',
    '',
  ];
  for (const option of OPTIONS) {
    lines.push('  --' + option.flag + ' <' + option.value + '>   ' + option.variable, '      ' + option.help);
  }
  lines.push('  --help', '      Prints this.', '');
  return lines.join('\n');
}
