import { expect, test } from 'vitest';
import { renderMarkdown } from '../../src/pages/markdown.ts';

test('a renamed heading keeps its former anchor, which is not part of its title', () => {
  const { html, sections } = renderMarkdown('## <a id="who-reads-it"></a>Access\n\nEveryone.\n', () => null);
  expect(html).toContain('<h2 id="access"><a id="who-reads-it"></a>Access ');
  expect(sections).toEqual([{ id: 'access', title: 'Access', depth: 2, text: 'Everyone.' }]);
});
