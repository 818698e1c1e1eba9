/**
 * The last step before the DOM: HTML text → nodes that can neither run, fetch nor restyle anything (law 18, B59). Nothing
 * that comes after may parse text as HTML again.
 */
import DOMPurify, { type Config } from 'dompurify';

const CONFIG: Config & { RETURN_DOM_FRAGMENT: true } = {
  ALLOWED_TAGS: 'p br hr strong em del code pre a ul ol li blockquote h3 table thead tbody tr th td'.split(' '),
  ALLOWED_ATTR: ['href', 'title', 'start', 'align', 'data-lang', 'data-task', 'data-depth'],
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  // Absolute and to the outside only: a relative address would be one of Cairn's own.
  ALLOWED_URI_REGEXP: /^(?:https?|mailto):/i,
  // Their values are no addresses, so that rule is not theirs.
  ADD_URI_SAFE_ATTR: ['align', 'start', 'data-lang', 'data-task', 'data-depth'],
  RETURN_DOM_FRAGMENT: true,
};

/** Clean nodes of HTML text that anyone may have written. Links open elsewhere and tell nobody where from. */
export function sanitize(html: string): DocumentFragment {
  const nodes = DOMPurify.sanitize(html, CONFIG);
  for (const link of nodes.querySelectorAll('a')) {
    if (!link.hasAttribute('href')) continue;
    link.setAttribute('target', '_blank');
    link.setAttribute('rel', 'noopener noreferrer nofollow');
  }
  return nodes;
}
