import { expect, test } from 'vitest';
import { renderMarkdown } from '../../src/pages/markdown.ts';

test('a renamed heading keeps its former anchor, which is not part of its title', () => {
  const { html, sections } = renderMarkdown('## <a id="who-reads-it"></a>Access\n\nEveryone.\n', () => null);
  expect(html).toContain('<h2 id="access"><a id="who-reads-it"></a>Access ');
  expect(sections).toEqual([{ id: 'access', title: 'Access', depth: 2, text: 'Everyone.' }]);
});

test('the same example in several languages is one block with tabs; a command and its output are two blocks', () => {
  const fence = (language: string, text: string) => `\`\`\`${language}\n${text}\n\`\`\`\n\n`;
  const { html } = renderMarkdown(
    `${fence('js hello.mjs', "say('<b>')")}${fence('python', "say('b')")}Then:\n\n${fence('sh', 'ls')}${fence('text', 'a & b')}`,
    () => null,
  );
  const [first = '', second = ''] = html.split('Then:');
  expect(first.match(/<label>.*?<\/label>/g)).toEqual([
    '<label><input type="radio" name="code-1" value="js" checked />JavaScript</label>',
    '<label><input type="radio" name="code-1" value="python" />Python</label>',
  ]);
  expect(first).toContain(
    '<div class="snippet" data-language="js"><pre class="code" tabindex="0"><code><span class="hljs-title function_">say</span>(<span class="hljs-string">&#x27;&lt;b&gt;&#x27;</span>)</code>',
  );
  expect(second).not.toContain('radio');
  expect(second).toContain('<code>a &amp; b</code>');
});

test('names in code are whole where browsers would break them, and arguments of commands are not taken for built-ins', () => {
  const { html } = renderMarkdown(
    'Set `--url <address>` and `setState`.\n\n```sh\nnpm test\n```\n',
    () => null,
  );
  expect(html).toContain(
    '<code><span class="whole">--url</span> <span class="whole">&lt;address&gt;</span></code> and <code>setState</code>',
  );
  expect(html).toContain('<code>npm test</code>');
});

test('a number and its unit stay on one line, except in code', () => {
  const { html } = renderMarkdown(
    '| Limit |\n|---|\n| 200 in 2 s, 64 KiB & `5 s` of 3 servers |\n',
    () => null,
  );
  expect(html).toContain('<td>200 in 2\u00a0s, 64\u00a0KiB &amp; <code>5 s</code> of 3 servers</td>');
});
