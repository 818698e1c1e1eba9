// @vitest-environment jsdom
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Blocks, blocksOf, type Block } from '../../app/render/blocks.ts';
import { decodeEntities } from '../../app/render/entities.ts';
import { nodeOf } from '../../app/render/nodes.ts';

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
const TAGS = new Set(
  'P BR HR STRONG EM DEL CODE PRE A UL OL LI BLOCKQUOTE H3 TABLE THEAD TBODY TR TH TD DIV FIGURE FIGCAPTION SPAN BUTTON'.split(' '),
);
const ATTRIBUTES = new Set(
  'href title start align data-task data-depth target rel class tabindex role aria-label dir data-kind data-size type'.split(' '),
);
/** What only Cairn says. */
const OWN: Record<string, RegExp> = {
  class: /^(?:md__table|code|code__head|code__lang|code__text|lines-part|btn)$/,
  role: /^group$/,
  'aria-label': /^(?:Table|Copy code|Code(?:, [^\s{,:]{1,32})?)$/,
  tabindex: /^0$/,
  type: /^button$/,
  rel: /^noopener noreferrer nofollow$/,
  target: /^_blank$/,
  href: /^(?:https?|mailto):/i,
};

function nodesOf(block: Block): DocumentFragment {
  const nodes = document.createDocumentFragment();
  for (const part of block.kind === 'code' ? [block] : block.parts) nodes.append(nodeOf(part));
  return nodes;
}
/** What is in the nodes and should not be. */
function faults(nodes: DocumentFragment): string[] {
  const found: string[] = [];
  for (const element of nodes.querySelectorAll('*')) {
    if (!TAGS.has(element.tagName)) found.push(`<${element.tagName}>`);
    for (const { name, value } of element.attributes) {
      if (!ATTRIBUTES.has(name)) found.push(name);
      if (OWN[name]?.test(value) === false) found.push(`${name}=${value}`);
    }
    if (element.tagName === 'A' && element.hasAttribute('href') && element.getAttribute('target') !== '_blank') found.push('same tab');
  }
  return found;
}

describe('what reaches the DOM', () => {
  test.each(HOSTILE.map((text) => [text]))('B59: no markup of a model runs, fetches or restyles, at any delta: %j', (text) => {
    const blocks = new Blocks();
    const seen = new Set<Block>();
    for (let end = 1; end <= text.length; end++) {
      blocks.take(text.slice(0, end), end === text.length);
      for (const block of blocks.all) {
        if (seen.has(block)) continue;
        seen.add(block);
        expect(faults(nodesOf(block))).toEqual([]);
      }
    }
  });
  test('B59: nor does any soup of hostile pieces', () => {
    const piece = fc.constantFrom(
      ...HOSTILE,
      ...HOSTILE.flatMap((text) => text.split(/(?<=[<>()"\]])/)),
      '\n',
      '\n\n',
      '- ',
      '> ',
      '[',
      '](',
      ')',
      '&#106;',
      '&colon;',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        for (const block of blocksOf(pieces.join(''), true)) expect(faults(nodesOf(block))).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });
  test('B59: an address that is hidden in character references is read before it is judged', () => {
    for (const text of [
      '[x](&#106;avascript:alert(1))',
      '[x](javascript&colon;alert(1))',
      '[x](&#x6A;&#x61;vascript:alert(1))',
      '[x](&NewLine;javascript:alert(1))',
      '[a]: jav&#x09;ascript:alert(1)\n\n[a]',
    ]) {
      const link = nodesOf(blocksOf(text, true)[0]!).querySelector('a');
      expect(link?.hasAttribute('href') ?? false, text).toBe(false);
    }
    expect(nodesOf(blocksOf('[x](https://ok.test/?a=1&amp;b=2 "&quot;t&quot;")', true)[0]!).querySelector('a')).toMatchObject({
      href: 'https://ok.test/?a=1&b=2',
      title: '"t"',
    });
  });
  test('raw HTML is shown as the words it is', () => {
    const text = (source: string): string => nodesOf(blocksOf(source, true)[0]!).textContent ?? '';
    expect(text('use <div class="x"> and <br> here')).toBe('use <div class="x"> and  here');
    expect(text('a <script>x &lt; **y**</script> b')).toBe('a <script>x &lt; y</script> b');
    expect(text('<div>\n<b>raw</b>\n</div>\n')).toBe('<div><b>raw</b></div>');
  });
  test('character references are the characters they name; what is none stays as it is written', () => {
    expect(decodeEntities('&lt;b&gt; &amp;amp; &mdash; &#8212; &#x2014; &hellip;&nbsp;&copy; &Auml;&euro;')).toBe(
      '<b> &amp; — — — …\u00a0© Ä€',
    );
    expect(decodeEntities('&nosuchthing; &; & &#0; &#xD800; &#9999999; AT&T; a&lt')).toBe(
      '&nosuchthing; &; & \ufffd \ufffd \ufffd AT&T; a&lt',
    );
    const [block] = blocksOf('`&lt;` &lt; \\&lt; &#38;lt;', true);
    expect(nodesOf(block!).textContent).toBe('&lt; < &lt; &lt;');
  });
  test('what a list, a table and nested code say of themselves stays', () => {
    const nodes = blocksOf('3. c\n   ```ts\n   x\n   ```\n\n| a |\n|--:|\n| 1 |\n\n- [x] done\n', true).map(nodesOf);
    expect(nodes[0]!.querySelector('ol')?.getAttribute('start')).toBe('3');
    expect(nodes[0]!.querySelector('li .code__lang')?.textContent).toBe('ts');
    expect(nodes[0]!.querySelector('li code')?.textContent).toBe('x');
    expect(nodes[1]!.querySelector('.md__table[tabindex="0"] td')?.getAttribute('align')).toBe('right');
    expect(nodes[2]!.querySelector('li')?.hasAttribute('data-task')).toBe(true);
    expect(nodes[2]!.textContent).toBe('☑ done');
  });
  test('loose lists have paragraphs, tight ones have none, nested ones are nested', () => {
    const html = (text: string): string => (nodesOf(blocksOf(text, true)[0]!).firstChild as Element).outerHTML;
    expect(html('- a\n- b\n')).toBe('<ul><li>a</li><li>b</li></ul>');
    expect(html('- a\n\n- b\n')).toBe('<ul><li><p>a</p></li><li><p>b</p></li></ul>');
    expect(html('1. a\n   - b\n   - c\n2. d\n')).toBe('<ol><li>a<ul><li>b</li><li>c</li></ul></li><li>d</li></ol>');
  });
  test('a picture is a link and is not fetched', () => {
    const nodes = nodesOf(blocksOf('![a cat](https://ok.test/cat.png)', true)[0]!);
    expect(nodes.querySelector('img')).toBeNull();
    expect(nodes.querySelector('a')?.getAttribute('href')).toBe('https://ok.test/cat.png');
  });
});
