/** Environment and flags → one typed `Config`. Pure: nothing is read from disk, and no default comes from ambient state. */
import { delimiter, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { OPTIONS, type OptionFlag } from './options.mjs';

export { helpText } from './options.mjs';

/** What the agent needs to reach a model. All three null: the built-in demo model serves. */
export interface ModelAccess {
  apiKey: string | null;
  authToken: string | null;
  /** Without a trailing slash and without `/v1`, which the SDK adds. */
  baseUrl: string | null;
  /** Model for sessions that name none; null: the agent's own default. */
  model: string | null;
  wire: 'anthropic' | 'plain';
}
export interface Config {
  /** `--help` was asked for: print it and end. */
  help: boolean;
  /** 0: any free port. */
  port: number;
  host: string;
  /** Absolute. */
  dataDir: string;
  /** Absolute, at least one, as written: real paths are the toolbox's to find. */
  workspaceRoots: string[];
  /** Null: made at the first start and kept in the data folder. */
  token: string | null;
  /** Absolute paths of PEM files; null: plain HTTP. */
  tls: { cert: string; key: string } | null;
  /** Further allowed origins, exact: scheme, host, and port if it is not the scheme's own. */
  origins: string[];
  /** The machine is kept awake while a turn runs, unless the app's settings say no. */
  keepAwake: boolean;
  model: ModelAccess;
}
export interface Surroundings {
  env: Readonly<Record<string, string | undefined>>;
  /** Arguments after the script's name. */
  argv: readonly string[];
  /** The user's home folder, and the folder that relative paths start from. Both absolute. */
  home: string;
  cwd: string;
}

/** A setting that cannot be used. Its message is one plain line for a person. */
export class ConfigError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ConfigError';
  }
}

const TOKEN_MIN_CHARS = 8;
const DEFAULT_PORT = 4646;

/** Reads the settings. A flag wins over its variable; an empty value counts as unset. Throws `ConfigError`. */
export function parseConfig(from: Surroundings): Config {
  const flags = parseFlags(from.argv);
  const get = (flag: OptionFlag): Setting | null => {
    const variable = OPTIONS.find((option) => option.flag === flag)!.variable;
    const given = flags.values.get(flag)?.trim();
    if (given) return { value: given, name: `--${flag}` };
    const value = from.env[variable]?.trim();
    return value ? { value, name: variable } : null;
  };
  const path = (text: string): string => resolve(from.cwd, text === '~' || text.startsWith('~/') ? join(from.home, text.slice(1)) : text);

  return {
    help: flags.help,
    port: portOf(get('port')),
    host: hostOf(get('host')),
    dataDir: path(get('data-dir')?.value ?? join(from.env['XDG_DATA_HOME']?.trim() || join(from.home, '.local', 'share'), 'cairn')),
    workspaceRoots: rootsOf(get('workspace-roots'), path, from.home),
    token: tokenOf(get('token')),
    tls: tlsOf(get('tls-cert'), get('tls-key'), path),
    origins: originsOf(get('origins')),
    keepAwake: keepAwakeOf(get('keep-awake')),
    model: modelOf(get),
  };
}

/** A value and the name under which it was given, for the error line. */
interface Setting {
  value: string;
  name: string;
}

function parseFlags(argv: readonly string[]): { help: boolean; values: Map<string, string> } {
  const options: Record<string, { type: 'string' | 'boolean' }> = { help: { type: 'boolean' } };
  for (const option of OPTIONS) options[option.flag] = { type: 'string' };
  try {
    const { values } = parseArgs({ args: [...argv], options, strict: true, allowPositionals: false });
    const given = Object.entries(values).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
    return { help: values['help'] === true, values: new Map(given) };
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error;
    throw new ConfigError(`${error.message.split(/[.\n]/)[0]}. See --help.`);
  }
}

function portOf(setting: Setting | null): number {
  if (setting === null) return DEFAULT_PORT;
  const port = Number(setting.value);
  if (!/^\d+$/.test(setting.value) || port > 65_535) {
    throw new ConfigError(`${setting.name} must be a port number from 0 to 65535, not "${setting.value}".`);
  }
  return port;
}

function hostOf(setting: Setting | null): string {
  if (setting === null) return '127.0.0.1';
  const host = setting.value.replace(/^\[(.*)\]$/, '$1');
  if (!/^[A-Za-z0-9._:%-]+$/.test(host))
    throw new ConfigError(`${setting.name} must be an address or a host name, not "${setting.value}".`);
  return host;
}

function rootsOf(setting: Setting | null, path: (text: string) => string, home: string): string[] {
  if (setting === null) return [home];
  const roots = setting.value
    .split(',')
    .flatMap((part) => part.split(delimiter))
    .map((part) => part.trim())
    .filter((part) => part !== '');
  if (roots.length === 0) throw new ConfigError(`${setting.name} names no folder.`);
  return [...new Set(roots.map(path))];
}

function tokenOf(setting: Setting | null): string | null {
  if (setting === null) return null;
  if (setting.value.length < TOKEN_MIN_CHARS || !/^[\x21-\x7e]+$/.test(setting.value)) {
    throw new ConfigError(`${setting.name} must be at least ${TOKEN_MIN_CHARS} characters, plain ASCII and without spaces.`);
  }
  return setting.value;
}

function tlsOf(cert: Setting | null, key: Setting | null, path: (text: string) => string): Config['tls'] {
  if (cert === null && key === null) return null;
  if (cert === null || key === null) {
    throw new ConfigError(`${(cert ?? key)!.name} is set alone: HTTPS needs both a certificate and its key.`);
  }
  return { cert: path(cert.value), key: path(key.value) };
}

function originsOf(setting: Setting | null): string[] {
  if (setting === null) return [];
  const parts = setting.value.split(/[,\s]+/).filter((part) => part !== '');
  return [
    ...new Set(
      parts.map((part) => {
        const url = URL.canParse(part) ? new URL(part) : null;
        if (url === null || !/^https?:$/.test(url.protocol) || url.href !== `${url.origin}/`) {
          throw new ConfigError(`${setting.name}: "${part}" is not an origin such as https://box.example.net or http://127.0.0.1:5173.`);
        }
        return url.origin;
      }),
    ),
  ];
}

function keepAwakeOf(setting: Setting | null): boolean {
  if (setting === null || setting.value === 'on') return true;
  if (setting.value === 'off') return false;
  throw new ConfigError(`${setting.name} must be on or off, not "${setting.value}".`);
}

function modelOf(get: (flag: OptionFlag) => Setting | null): ModelAccess {
  const baseUrl = baseUrlOf(get('base-url'));
  const wire = get('wire');
  if (wire !== null && wire.value !== 'anthropic' && wire.value !== 'plain') {
    throw new ConfigError(`${wire.name} must be "anthropic" or "plain", not "${wire.value}".`);
  }
  return {
    apiKey: get('api-key')?.value ?? null,
    authToken: get('auth-token')?.value ?? null,
    baseUrl,
    model: get('model')?.value ?? null,
    wire: (wire?.value as ModelAccess['wire'] | undefined) ?? (baseUrl === null ? 'anthropic' : 'plain'),
  };
}

/** People paste base URLs with a slash or with `/v1` at the end; the SDK adds `/v1` itself. */
function baseUrlOf(setting: Setting | null): string | null {
  if (setting === null) return null;
  const url = URL.canParse(setting.value) ? new URL(setting.value) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '') {
    throw new ConfigError(`${setting.name} must be an http or https URL, not "${setting.value}".`);
  }
  return url.href.replace(/\/+$/, '').replace(/\/v1$/, '');
}
