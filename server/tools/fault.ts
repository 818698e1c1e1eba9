/** What goes wrong in a tool in ways the model can do something about: said in plain words, as an error result. */

/** Thrown inside a tool, caught by its wrapper; the message is the result the model sees. */
export class ToolFault extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ToolFault';
  }
}

/** The `code` of a system error (`ENOENT` …), or null. */
export function codeOf(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
}

const WORDS: Record<string, (path: string) => string> = {
  ENOENT: (path) => `There is no file or folder ${path}.`,
  ENOTDIR: (path) => `${path} goes through something that is not a folder.`,
  EISDIR: (path) => `${path} is a folder.`,
  EACCES: (path) => `No permission for ${path}.`,
  EPERM: (path) => `No permission for ${path}.`,
  EROFS: (path) => `${path} is on a read-only disk.`,
  ELOOP: (path) => `${path} is a link that leads in a circle, or became a link while it was opened.`,
  ENAMETOOLONG: (path) => `The path is too long: ${path.slice(0, 80)}…`,
  ENOSPC: (path) => `The disk is full: ${path} was not written.`,
  EDQUOT: (path) => `The disk quota is used up: ${path} was not written.`,
  ENXIO: (path) => `${path} is not a regular file.`,
  EMFILE: () => 'Too many files are open just now; try again.',
  ENFILE: () => 'Too many files are open just now; try again.',
};

/** A system error as a fault about `path`, as the model wrote it; any other error as it is. */
export function faultOf(error: unknown, path: string): unknown {
  const code = codeOf(error);
  const words = code === null ? undefined : WORDS[code];
  return words === undefined ? error : new ToolFault(words(path));
}
