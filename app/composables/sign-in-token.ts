/** What a person pastes to sign in: the token, or the whole link that the server printed. */

/** The token in the words, or null when there is none to try. */
export function tokenFrom(words: string): string | null {
  const text = words.trim();
  const inLink = /#(?:.*&)?t=([^&\s]+)/.exec(text)?.[1];
  if (inLink !== undefined) return safeDecode(inLink);
  return text === '' || /\s/.test(text) || text.includes('://') ? null : text;
}

function safeDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    // A stray percent sign: the token is taken as it stands, and the server judges it.
    if (error instanceof URIError) return text;
    throw error;
  }
}
