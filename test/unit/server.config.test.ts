import { describe, expect, it } from 'vitest';
import { type Config, ConfigError, helpText, parseConfig } from '../../server/config.ts';
import { OPTIONS } from '../../server/options.mjs';

const parse = (env: Record<string, string> = {}, argv: string[] = []): Config => parseConfig({ env, argv, home: '/home/u', cwd: '/start' });

/** For each setting: a value, and where it shows in the config. */
const SHOWS: Record<(typeof OPTIONS)[number]['flag'], [string, (config: Config) => unknown, unknown]> = {
  port: ['8080', (config) => config.port, 8080],
  host: ['[::1]', (config) => config.host, '::1'],
  'data-dir': ['data', (config) => config.dataDir, '/start/data'],
  'workspace-roots': ['~/a,/b:c', (config) => config.workspaceRoots, ['/home/u/a', '/b', '/start/c']],
  token: ['0123456789abcdef', (config) => config.token, '0123456789abcdef'],
  'tls-cert': ['/c.pem', (config) => config.tls?.cert, '/c.pem'],
  'tls-key': ['~/k.pem', (config) => config.tls?.key, '/home/u/k.pem'],
  origins: [
    'https://box.example.net/, http://127.0.0.1:5173',
    (config) => config.origins,
    ['https://box.example.net', 'http://127.0.0.1:5173'],
  ],
  'keep-awake': ['off', (config) => config.keepAwake, false],
  model: ['some-model', (config) => config.model.model, 'some-model'],
  wire: ['plain', (config) => config.model.wire, 'plain'],
  'api-key': ['sk-1', (config) => config.model.apiKey, 'sk-1'],
  'auth-token': ['at-1', (config) => config.model.authToken, 'at-1'],
  'base-url': ['http://127.0.0.1:11434/v1/', (config) => config.model.baseUrl, 'http://127.0.0.1:11434'],
};
const TLS = { CAIRN_TLS_CERT: '/c.pem', CAIRN_TLS_KEY: '/k.pem' };

describe('settings', () => {
  it('have the defaults of the help', () => {
    expect(parse()).toEqual({
      help: false,
      port: 4646,
      host: '127.0.0.1',
      dataDir: '/home/u/.local/share/cairn',
      workspaceRoots: ['/home/u'],
      token: null,
      tls: null,
      origins: [],
      keepAwake: true,
      model: { apiKey: null, authToken: null, baseUrl: null, model: null, wire: 'anthropic' },
    });
    expect(parse({ XDG_DATA_HOME: '/x' }).dataDir).toBe('/x/cairn');
  });

  it.each(OPTIONS)('--$flag and $variable say the same, the flag wins, and empty is unset', ({ flag, variable }) => {
    const [value, read, wanted] = SHOWS[flag];
    const env = flag.startsWith('tls') ? TLS : {};
    expect(read(parse({ ...env, [variable]: value }))).toEqual(wanted);
    expect(read(parse(env, [`--${flag}`, value]))).toEqual(wanted);
    expect(read(parse({ ...env, [variable]: 'https://other:1' }, [`--${flag}=${value}`]))).toEqual(wanted);
    expect(read(parse({ ...env, [variable]: value }, [`--${flag}=`]))).toEqual(wanted);
    const unset = flag.startsWith('tls') ? {} : env;
    expect(read(parse({ ...unset, [variable]: ' ' }))).toEqual(read(parse(unset)));
  });

  it('the help lists every flag and variable of the table, and the table every setting', () => {
    const help = helpText();
    for (const { flag, variable } of OPTIONS) {
      expect(help).toMatch(new RegExp(`^ {2}--${flag} <.+> +${variable}$`, 'm'));
    }
    expect(help).toContain('--help');
    expect(new Set(OPTIONS.map((option) => option.variable)).size).toBe(OPTIONS.length);
    expect(Object.keys(SHOWS).toSorted()).toEqual(OPTIONS.map((option) => option.flag).toSorted());
    expect(parse({}, ['--help']).help).toBe(true);
  });

  it('a base URL means the plain wire, unless it is said otherwise', () => {
    expect(parse({ ANTHROPIC_BASE_URL: 'http://127.0.0.1:8080' }).model.wire).toBe('plain');
    expect(parse({ ANTHROPIC_BASE_URL: 'http://127.0.0.1:8080', CAIRN_WIRE: 'anthropic' }).model.wire).toBe('anthropic');
    expect(parse({ ANTHROPIC_BASE_URL: 'https://gate.example/llm/v1' }).model.baseUrl).toBe('https://gate.example/llm');
  });

  it.each([
    [{ PORT: 'many' }, [], /PORT.*many/],
    [{ PORT: '70000' }, [], /PORT/],
    [{ PORT: '-1' }, [], /PORT/],
    [{}, ['--port', '1.5'], /--port/],
    [{ HOST: 'a b' }, [], /HOST/],
    [{ CAIRN_TOKEN: 'short' }, [], /CAIRN_TOKEN.*at least/],
    [{ CAIRN_TOKEN: 'with a space in it' }, [], /CAIRN_TOKEN/],
    [{ CAIRN_TLS_CERT: '/c' }, [], /CAIRN_TLS_CERT.*both/],
    [{ CAIRN_TLS_KEY: '/k' }, [], /CAIRN_TLS_KEY.*both/],
    [{ CAIRN_ORIGINS: 'box.example.net' }, [], /CAIRN_ORIGINS.*box/],
    [{ CAIRN_ORIGINS: 'https://box.example.net/path' }, [], /CAIRN_ORIGINS/],
    [{ CAIRN_ORIGINS: 'https://u:p@box.example.net' }, [], /CAIRN_ORIGINS/],
    [{ CAIRN_ORIGINS: '*' }, [], /CAIRN_ORIGINS/],
    [{ CAIRN_WIRE: 'openai' }, [], /CAIRN_WIRE/],
    [{ ANTHROPIC_BASE_URL: 'localhost:11434' }, [], /ANTHROPIC_BASE_URL/],
    [{ CAIRN_WORKSPACE_ROOTS: ',:,' }, [], /CAIRN_WORKSPACE_ROOTS/],
    [{}, ['--colour=red'], /--colour/],
    [{}, ['stray'], /stray/],
    [{}, ['--port'], /--port/],
  ])('%j %j: one plain line', (env, argv, words) => {
    let said: unknown;
    try {
      parse(env as Record<string, string>, argv);
    } catch (error) {
      said = error;
    }
    expect(said).toBeInstanceOf(ConfigError);
    expect((said as Error).message).toMatch(words);
    expect((said as Error).message).not.toContain('\n');
  });

  it('no error line gives a secret away', () => {
    const secret = 'a secret with spaces';
    expect(() => parse({ CAIRN_TOKEN: secret })).toThrow(expect.not.stringContaining(secret));
  });
});
