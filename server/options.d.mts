/** Types of `options.mjs`. */
export interface Option {
  /** Without its dashes. */
  readonly flag: OptionFlag;
  /** The environment variable of the same meaning. */
  readonly variable: string;
  /** What its value is, as the help names it. */
  readonly value: string;
  readonly help: string;
}
export type OptionFlag =
  | 'port'
  | 'host'
  | 'data-dir'
  | 'workspace-roots'
  | 'token'
  | 'tls-cert'
  | 'tls-key'
  | 'origins'
  | 'keep-awake'
  | 'model'
  | 'wire'
  | 'api-key'
  | 'auth-token'
  | 'base-url';
export const OPTIONS: readonly Option[];
export function helpText(): string;
