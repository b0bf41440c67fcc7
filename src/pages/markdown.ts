import { Marked, type Token, type Tokens } from 'marked';
import { areAlternatives, renderAlternatives, renderCode } from './code.ts';

/** A part of a document with an anchor: a heading's section, a paragraph that begins in bold, or a table row. */
export interface Section {
  /** Unique in its document; empty for the text before the first heading. */
  id: string;
  title: string;
  /** 1 to 6 for a heading, 7 for the others. */
  depth: number;
  /** Its content as plain text. */
  text: string;
}

export interface RenderedDocument {
  html: string;
  sections: readonly Section[];
}

const belowHeadings = 7;

/** The type of a token that holds blocks of code in several languages. */
const alternatives = 'alternatives';

/** On a phone the cells of a row are stacked; with more columns than this, a stacked table would be unreadable. */
const maxStackedColumns = 4;

/** Longer names are broken where a line ends, at their hyphens: on a phone they may take the whole width. */
const longestWhole = 28;

/** A number and its unit, which stay on one line. */
const measure = /(\d) (\u00b5s|ms|s|min|h|kB|[KMG]B|[KMG]iB|%)(?!\w)/g;

/**
 * Renders one of the project's documents as HTML, with an anchor for each section. Headings get the same ids as on
 * GitHub; a heading that was renamed keeps its former id as `<a id="former-id"></a>`.
 * @param addressOf resolves a link or an image to its URL on this server; null when it is not served: then it becomes
 *   plain text
 */
export function renderMarkdown(
  markdown: string,
  addressOf: (link: string) => string | null,
): RenderedDocument {
  const outline = new Outline();
  let groups = 0;
  const marked = new Marked({
    renderer: {
      heading(token) {
        const { depth, tokens } = token;
        const id = outline.idOf(token);
        const link =
          depth === 1 ? '' : ` <a class="anchor" href="#${id}" aria-label="Link to this section">#</a>`;
        return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}${link}</h${depth}>\n`;
      },
      paragraph(token) {
        const id = outline.idOf(token);
        return `<p${id === '' ? '' : ` id="${id}"`}>${this.parser.parseInline(token.tokens)}</p>\n`;
      },
      text(token) {
        token.text = token.text.replaceAll(measure, '$1\u00a0$2');
        return false; // the library renders it
      },
      code: renderCode,
      codespan({ text }) {
        return `<code>${text.replaceAll(/\S+/g, wordOfCode)}</code>`;
      },
      table({ header, rows }) {
        const cellsOf = (cells: readonly Tokens.TableCell[], tag: string) =>
          cells.map(({ text, tokens }) => {
            const name = text === '' ? 'td' : tag;
            return `<${name}>${this.parser.parseInline(tokens)}</${name}>`;
          });
        const body = rows.map((cells) => {
          const id = cells[0] && outline.idOf(cells[0]);
          return `<tr${id ? ` id="${id}"` : ''}>${cellsOf(cells, 'td').join('')}</tr>`;
        });
        return (
          `<div class="table-scroll" tabindex="0"><table class="table${header.length > maxStackedColumns ? '' : ' stacked'}"><thead>` +
          `<tr>${cellsOf(header, 'th').join('')}</tr></thead><tbody>${body.join('\n')}</tbody></table></div>\n`
        );
      },
      checkbox() {
        return '<span aria-hidden="true">☐</span> '; // a checklist, not a form
      },
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens);
        const address = addressOf(href);
        return address === null ? text : `<a href="${escapeHtml(address)}">${text}</a>`;
      },
      image({ href, text }) {
        const address = addressOf(href);
        return address === null
          ? escapeHtml(text)
          : `<img src="${escapeHtml(address)}" alt="${escapeHtml(text)}" loading="lazy" />`;
      },
    },
    extensions: [
      {
        name: alternatives,
        renderer: ({ blocks }) => renderAlternatives(blocks, `code-${++groups}`),
      },
    ],
  });
  const tokens = marked.lexer(markdown);
  outline.read(tokens);
  return { html: marked.parser(withAlternatives(tokens)), sections: outline.sections };
}

/** The tokens, with blocks of code that follow each other in several languages as one. */
function withAlternatives(tokens: readonly Token[]): Token[] {
  const grouped: Token[] = [];
  let blocks: Tokens.Code[] = [];
  const close = () => {
    if (areAlternatives(blocks)) grouped.push({ type: alternatives, raw: '', blocks });
    else grouped.push(...blocks);
    blocks = [];
  };
  for (const token of tokens) {
    if (isCode(token)) blocks.push(token);
    else if (token.type !== 'space' || blocks.length === 0) {
      close();
      grouped.push(token);
    }
  }
  close();
  return grouped;
}

/** The sections of a document, in order. */
class Outline {
  readonly sections: { id: string; title: string; depth: number; text: string }[] = [];
  readonly #ids = new Map<object, string>();
  readonly #taken = new Set<string>();

  /** The id of a heading, a paragraph or a row's first cell; empty when it has no anchor. */
  idOf(part: object): string {
    return this.#ids.get(part) ?? '';
  }

  read(tokens: readonly Token[]): void {
    for (const token of tokens) {
      if (isHeading(token)) this.#begin(token, headingId(token.text), plainText(token.text), token.depth);
      else if (isTable(token)) this.#readTable(token);
      else if (isParagraph(token)) this.#readParagraph(token);
      else this.#add(plainText(token.raw));
    }
  }

  /** A paragraph such as `**Rotating a secret** without downtime…` begins a section within the heading's. */
  #readParagraph(token: Tokens.Paragraph): void {
    const [, title] = /^\*\*([^*]+?)[.:]?\*\*/.exec(token.raw) ?? [];
    if (title !== undefined) this.#begin(token, headingId(title), plainText(title), belowHeadings);
    this.#add(plainText(token.raw));
  }

  /** A row that begins with a name, such as a setting, is a section of that name. */
  #readTable({ header, rows }: Tokens.Table): void {
    const above = this.sections.at(-1);
    const texts: string[] = [header.map(({ text }) => text).join(' ')];
    for (const cells of rows) {
      const [first, ...others] = cells;
      const [, name] = /^`(gantry [a-z -]+?|[\w.-]+(?: [\w.-]+)?)(?=`| [<[-])/.exec(first?.text ?? '') ?? [];
      const text = others.map((cell) => cell.text).join(' ');
      if (first && name !== undefined) {
        this.#begin(first, name.replaceAll(' ', '-'), name, belowHeadings);
        this.#add(plainText(`${first.text} ${text}`));
      } else {
        texts.push(`${first?.text ?? ''} ${text}`);
      }
    }
    if (above) above.text += ` ${plainText(texts.join(' '))}`;
  }

  #begin(part: object, wanted: string, title: string, depth: number): void {
    let id = wanted;
    for (let count = 1; this.#taken.has(id); count++) id = `${wanted}-${count}`;
    this.#taken.add(id);
    this.#ids.set(part, id);
    this.sections.push({ id, title, depth, text: '' });
  }

  #add(text: string): void {
    const section = this.sections.at(-1);
    if (section) section.text = `${section.text} ${text}`.trim();
    else if (text !== '') this.sections.push({ id: '', title: '', depth: belowHeadings, text });
  }
}

function isHeading(token: Token): token is Tokens.Heading {
  return token.type === 'heading';
}

function isCode(token: Token): token is Tokens.Code {
  return token.type === 'code';
}

function isTable(token: Token): token is Tokens.Table {
  return token.type === 'table';
}

function isParagraph(token: Token): token is Tokens.Paragraph {
  return token.type === 'paragraph';
}

/** The same ids as GitHub's. */
function headingId(heading: string): string {
  return plainText(heading)
    .toLowerCase()
    .replace(/[^\w -]/g, '')
    .replaceAll(' ', '-');
}

/** A word of a code span as HTML: whole where browsers would break it, as after the hyphens of `--url`. */
function wordOfCode(word: string): string {
  const html = escapeHtml(word);
  // JSON has no spaces at which a narrow column could break it.
  if (/,["[{]/.test(word)) return html.replaceAll(/,(?=&quot;|[[{])/g, ',<wbr>');
  return /[-?/<\u2026]/.test(word) && word.length <= longestWhole
    ? `<span class="whole">${html}</span>`
    : html;
}

/** Removes the markup of links, emphasis and code, and anchors such as `<a id="former-name"></a>`. */
function plainText(markdown: string): string {
  return markdown
    .replace(/<a id="[\w-]+"><\/a>/g, '')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/^```\w*$/gm, '')
    .replace(/\*\*|`/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}

export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
