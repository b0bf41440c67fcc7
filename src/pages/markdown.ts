import { Marked, type Token, type Tokens } from 'marked';

/** A part of a document that a link can lead to: a heading's, a paragraph's that begins in bold, or a table's row. */
export interface Section {
  /** Unique in its document; empty for what comes before the first heading. */
  id: string;
  title: string;
  /** Of a heading, 1 to 6; 7 for the others. */
  depth: number;
  /** What it says, as plain text. */
  text: string;
}

export interface RenderedDocument {
  html: string;
  sections: readonly Section[];
}

const belowHeadings = 7;

/** On a phone the cells of a row come one below the other; with more columns than this, they would say too little there. */
const mostStacked = 4;

/**
 * A document of ours as HTML, with an anchor for each of its sections. Headings have the ids that GitHub gives them.
 * @param addressOf where a link or an image leads on this server; null for what is not served, which becomes plain text
 */
export function renderMarkdown(
  markdown: string,
  addressOf: (link: string) => string | null,
): RenderedDocument {
  const outline = new Outline();
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
      code({ text, lang: info = '' }) {
        const [lang = ''] = info.split(' '); // what follows says what tests make of it
        return `<div class="snippet"><pre class="code" tabindex="0" data-language="${escapeHtml(lang)}"><code>${escapeHtml(text)}</code></pre></div>\n`;
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
          `<div class="table-scroll" tabindex="0"><table class="table${header.length > mostStacked ? '' : ' stacked'}"><thead>` +
          `<tr>${cellsOf(header, 'th').join('')}</tr></thead><tbody>${body.join('\n')}</tbody></table></div>\n`
        );
      },
      checkbox() {
        return '<span aria-hidden="true">☐</span> '; // a list to go through, not a form
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
  });
  const tokens = marked.lexer(markdown);
  outline.read(tokens);
  return { html: marked.parser(tokens), sections: outline.sections };
}

/** The sections of a document, in its order. */
class Outline {
  readonly sections: { id: string; title: string; depth: number; text: string }[] = [];
  readonly #ids = new Map<object, string>();

  /** The id of a heading, a paragraph or a row's first cell; empty for one that no link leads to. */
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

  /** `**Rotating a secret** without downtime…` begins a section within that of the heading. */
  #readParagraph(token: Tokens.Paragraph): void {
    const [, title] = /^\*\*([^*]+?)[.:]?\*\*/.exec(token.raw) ?? [];
    if (title !== undefined) this.#begin(token, headingId(title), plainText(title), belowHeadings);
    this.#add(plainText(token.raw));
  }

  /** A row about something that has a name, such as a setting, is found by it. */
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
    const taken = new Set(this.sections.map(({ id }) => id));
    let id = wanted;
    for (let count = 1; taken.has(id); count++) id = `${wanted}-${count}`;
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

function isTable(token: Token): token is Tokens.Table {
  return token.type === 'table';
}

function isParagraph(token: Token): token is Tokens.Paragraph {
  return token.type === 'paragraph';
}

/** As GitHub makes them. */
function headingId(heading: string): string {
  return plainText(heading)
    .toLowerCase()
    .replace(/[^\w -]/g, '')
    .replaceAll(' ', '-');
}

/** Without the marks of links, emphasis and code. */
function plainText(markdown: string): string {
  return markdown
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
