/** The chain of causes of an error, read without knowing its classes. */

/** First error in the chain that the test accepts. */
export function inChain<T extends Error>(error: unknown, is: (value: unknown) => value is T): T | null {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 8; at = at.cause, depth++) if (is(at)) return at;
  return null;
}

/** The system's code of a broken connection (`ECONNREFUSED` …), or null. */
export function systemCode(error: unknown): string | null {
  const coded = inChain(
    error,
    (value): value is Error & { code: string } => value instanceof Error && 'code' in value && typeof value.code === 'string',
  );
  return coded?.code ?? null;
}
