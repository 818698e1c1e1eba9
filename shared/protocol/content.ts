/** Input content, as a person hands it over: a list of parts. */
export interface TextPart {
  type: 'text';
  text: string;
}
export interface AttachmentPart {
  type: 'attachment';
  sha256: string;
  name: string;
  mime: string;
}
export type ContentPart = TextPart | AttachmentPart;

/** The plain words of a content list, parts joined by a newline: for lists, search and receipts. */
export function wordsOf(content: readonly ContentPart[]): string {
  return content.map((part) => (part.type === 'text' ? part.text : `[${part.name}]`)).join('\n');
}
