// @vitest-environment jsdom
import { describe, expect, test } from 'vitest';
import { parseBlocks, type Parsed } from '../../app/render/blocks.ts';
import { sanitize } from '../../app/render/sanitize.ts';

const HOSTILE = [
  '<img src=x onerror=alert(1)>',
  '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
  '<svg onload=alert(1)><style>*{background:url(//x)}</style></svg>',
  '<script>alert(1)</script>',
  '[x](javascript:alert(1)) [y](JaVaScRiPt:alert(1)) [z](java\tscript:alert(1)) [w]( javascript:alert(1))',
  '[x](data:text/html,<script>alert(1)</script>) ![y](data:image/svg+xml,<svg onload=alert(1)>)',
  '[x](vbscript:x) [y](file:///etc/passwd) [z](/api/sessions) [q](//evil.test/x)',
  '```"><img src=x onerror=alert(1)>\ncode\n```',
  '```js" onmouseover="alert(1)\ncode\n```\n\n- ```x"><svg onload=alert(1)>\n  y\n  ```',
  '<form action=//x><input name=a><button>go</button></form>',
  '<a href="https://ok.test" onclick="alert(1)" style="position:fixed">x</a>',
  '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">',
  '<noscript><p title="</noscript><img src=x onerror=alert(1)>"></noscript>',
  '<base href="//evil.test/"><meta http-equiv=refresh content="0;url=//evil.test"><link rel=stylesheet href=//evil.test>',
  '[a]: javascript:alert(1)\n\n[click][a] <javascript:alert(1)> <https://ok.test/"onclick=alert(1)>',
  '[x](https://ok.test "t\\" onclick=alert(1)")',
  '&lt;img src=x onerror=alert(1)&gt; &#x3C;script&#x3E;',
  '| a |\n|---|\n| <img src=x onerror=alert(1)> |',
  '# <img src=x onerror=alert(1)>\n\n> <svg onload=alert(1)>\n\n1. <iframe src=//x>',
];
const TAGS = new Set('P BR HR STRONG EM DEL CODE PRE A UL OL LI BLOCKQUOTE H3 TABLE THEAD TBODY TR TH TD'.split(' '));

/** What is in the nodes and should not be. */
function faults(nodes: DocumentFragment): string[] {
  const found: string[] = [];
  for (const element of nodes.querySelectorAll('*')) {
    if (!TAGS.has(element.tagName)) found.push(`<${element.tagName}>`);
    for (const { name, value } of element.attributes) {
      if (!['href', 'title', 'start', 'align', 'data-lang', 'data-task', 'data-depth', 'target', 'rel'].includes(name)) found.push(name);
      if (name === 'href' && !/^(?:https?|mailto):/i.test(value)) found.push(value);
      if (name === 'rel' && value !== 'noopener noreferrer nofollow') found.push(value);
    }
    if (element.tagName === 'A' && element.hasAttribute('href') && element.getAttribute('target') !== '_blank') found.push('same tab');
  }
  return found;
}

describe('what reaches the DOM', () => {
  test.each(HOSTILE.map((text) => [text]))('B59: no markup of a model runs, fetches or restyles, at any delta: %j', (text) => {
    let parsed: Parsed | null = null;
    const seen = new Set<string>();
    for (let end = 1; end <= text.length; end++) {
      parsed = parseBlocks(text.slice(0, end), end === text.length, parsed);
      for (const block of parsed.blocks) {
        if (block.kind === 'code' || seen.has(block.html)) continue;
        seen.add(block.html);
        expect(faults(sanitize(block.html))).toEqual([]);
      }
    }
  });
  test.each(HOSTILE.map((text) => [text]))('B59: the same text handed over as HTML is clean too: %j', (text) => {
    for (let end = 1; end <= text.length; end++) {
      // A cut within a word is the same cut as at its start.
      if (/\w\w/.test(text.slice(end - 1, end + 1))) continue;
      expect(faults(sanitize(text.slice(0, end)))).toEqual([]);
    }
  });
  test('raw HTML is shown as the words it is', () => {
    const [block] = parseBlocks('use <div class="x"> and <br> here', true, null).blocks;
    if (block?.kind !== 'html') throw new Error('no html block');
    expect(sanitize(block.html).textContent).toContain('use <div class="x"> and  here');
  });
  test('what a list, a table and nested code say of themselves stays', () => {
    const { blocks } = parseBlocks('3. c\n   ```ts\n   x\n   ```\n\n| a |\n|--:|\n| 1 |\n\n- [x] done\n', true, null);
    const nodes = blocks.map((block) => (block.kind === 'html' ? sanitize(block.html) : null));
    expect(nodes[0]!.querySelector('ol')?.getAttribute('start')).toBe('3');
    expect(nodes[0]!.querySelector('code')?.dataset['lang']).toBe('ts');
    expect(nodes[1]!.querySelector('td')?.getAttribute('align')).toBe('right');
    expect(nodes[2]!.querySelector('li')?.hasAttribute('data-task')).toBe(true);
  });
  test('a picture is a link and is not fetched', () => {
    const [block] = parseBlocks('![a cat](https://ok.test/cat.png)', true, null).blocks;
    if (block?.kind !== 'html') throw new Error('no html block');
    const nodes = sanitize(block.html);
    expect(nodes.querySelector('img')).toBeNull();
    expect(nodes.querySelector('a')?.getAttribute('href')).toBe('https://ok.test/cat.png');
  });
});
