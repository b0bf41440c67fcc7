import { setImmediate } from 'node:timers/promises';
import type { Assets } from './assets.ts';
import { addressesFrom, type ManualSite, servedManual, withAddresses } from './manual-site.ts';
import { escapeHtml, type RenderedDocument, renderMarkdown } from './markdown.ts';
import { Revalidated } from './revalidated.ts';

/** The menu. Pages not listed here come last; listed pages that do not exist are omitted. */
const groups: readonly (readonly [title: string, pages: readonly string[]])[] = [
  [
    'Start',
    [
      'index',
      'templates',
      'first-browser-game',
      'first-unity-game',
      'first-godot-game',
      'first-python-game',
      'launcher',
      'first-session',
      'comparison',
      'coming-from-basement',
      'coming-from-nakama',
      'coming-from-talo',
      'coming-from-playfab',
    ],
  ],
  [
    'Tasks',
    [
      'weekly-leaderboard',
      'cloud-saves',
      'chat',
      'friends',
      'live-ops',
      'game-servers',
      'stop-cheating',
      'sign-in',
      'matchmaking',
      'launcher-home',
    ],
  ],
  [
    'Operating',
    [
      'deploy',
      'deploy-hosted',
      'back-up',
      'upgrade',
      'player-data',
      'importing-players',
      'install',
      'kubernetes',
      'proxies',
      'operating',
      'logs-and-metrics',
      'sizing',
      'several-nodes',
      'scaling-out',
      'sharding',
      'security',
      'troubleshooting',
    ],
  ],
  [
    'Concepts',
    [
      'players',
      'guests',
      'authentication',
      'leaderboards',
      'states',
      'messages',
      'notifications',
      'live-events',
      'rules',
      'webhooks',
      'moderation',
    ],
  ],
  [
    'Reference',
    [
      'reference',
      'sdks',
      'sdk-behavior',
      'calling',
      'errors',
      'rate-limits',
      'configuration',
      'command-line',
      'administration',
      'games',
      'administrators',
      'protocol',
      'benchmarks',
    ],
  ],
  ['Project', ['stability', 'contributing', 'changelog']],
];
const lastGroup = 'More';

/** Titles that override the document's own, or for pages without a document. */
const ownTitles: Readonly<Record<string, string>> = { index: 'Introduction', reference: 'API reference' };

/** Summaries of pages that do not begin with one, for language models. */
const ownSummaries: Readonly<Record<string, string>> = {
  administration: 'Every operation of administrators, their console, and how to call both',
  'back-up': 'How to back up a server, restore it, and move it or one game elsewhere',
  benchmarks: 'What the benchmarks measure, each next to a bare server, and the figures of one run',
  'coming-from-nakama': "What takes the place of Nakama's features, and how to import its players",
  'coming-from-playfab': "What takes the place of PlayFab's features, and how to import its players",
  'coming-from-talo': "What takes the place of Talo's features, and how to import its players",
  'command-line': 'Every command of the program with its options',
  configuration: 'Every setting, an environment variable, with its default',
  contributing: 'How the source is organized, and how to add an operation, a page, a migration or a test',
  'importing-players': 'Import players, scores, states and friends that another system has exported',
  'first-session': 'Get a token and make the first calls with curl',
  'live-events': 'What a launcher is sent over its socket: every event with its fields, and those it missed',
  messages: 'Channels, messages, reactions and unread counts, operation by operation',
  operating: 'The files of a server, its health checks, and how it shuts down',
  security: 'What to check before a server is public, and how secrets and keys are kept',
  'several-nodes': 'Several processes on one machine that share a data directory and a Redis',
  'sign-in': 'Let players sign in to a game with their wallet',
  upgrade: 'How to install a new version, and how to go back',
};

/** The template of the manual's pages. */
const template = 'docs/page.html';
/** The template of the API reference, which a viewer fills in. */
const referenceTemplate = 'docs/reference.html';

/** A section in the search index. */
export interface SearchEntry {
  address: string;
  /** The page's title. */
  page: string;
  title: string;
  /** As in `Section`. */
  depth: number;
  text: string;
}

/** The manual: every Markdown file `docs/<name>.md` of the assets is a page. */
export class Manual {
  readonly #assets: Assets;
  readonly #site: ManualSite;
  readonly #edition = new Revalidated<Edition>((last) => this.#refresh(last));
  /** By the document's bytes, so that an edit renders only one page again. */
  readonly #rendered = new WeakMap<Uint8Array, RenderedDocument>();

  constructor(assets: Assets, site = servedManual) {
    this.#assets = assets;
    this.#site = site;
  }

  /** The names of all pages, in the order of the menu. */
  async names(): Promise<string[]> {
    return (await this.#edition.current()).names();
  }

  /** A page as HTML; null when it does not exist. An unchanged page is the same object, see `Assets`. */
  async page(name: string): Promise<Uint8Array | null> {
    return (await this.#edition.current()).page(name);
  }

  /** The Markdown of a page, whose links lead to the Markdown of other pages; null when it has none. */
  async markdown(name: string): Promise<Uint8Array | null> {
    return (await this.#edition.current()).markdown(name);
  }

  /** The pages with a sentence about each, for language models: https://llmstxt.org */
  async llms(): Promise<Uint8Array> {
    return (await this.#edition.current()).llms();
  }

  /** The search index of all pages: a `SearchEntry[]` as JSON. */
  async searchIndex(): Promise<Uint8Array> {
    return (await this.#edition.current()).searchIndex();
  }

  /** The last edition, or a new one when a file has changed. */
  async #refresh(last: Edition | undefined): Promise<Edition> {
    const documents = this.#assets.names().filter((name) => /^docs\/[\w-]+\.md$/.test(name));
    const names = [template, referenceTemplate, ...documents.toSorted()];
    const files = new Map<string, Uint8Array>();
    for (const name of names) {
      const bytes = await this.#assets.read(name);
      if (bytes !== null) files.set(name, bytes);
    }
    return last?.isOf(files) ? last : new Edition(this.#site, files, await this.#render(files));
  }

  /** Every document by its page's name. Others are served between two documents. */
  async #render(files: ReadonlyMap<string, Uint8Array>): Promise<ReadonlyMap<string, RenderedDocument>> {
    const documents = new Map<string, RenderedDocument>();
    for (const [file, bytes] of files) {
      const [, name] = /^docs\/(.+)\.md$/.exec(file) ?? [];
      if (name === undefined) continue;
      let document = this.#rendered.get(bytes);
      if (!document) {
        await setImmediate();
        document = renderMarkdown(Buffer.from(bytes).toString(), addressesFrom(name, this.#site));
        this.#rendered.set(bytes, document);
      }
      documents.set(name, document);
    }
    return documents;
  }
}

/** The manual rendered from one version of its files. */
class Edition {
  readonly #site: ManualSite;
  readonly #files: ReadonlyMap<string, Uint8Array>;
  readonly #documents: ReadonlyMap<string, RenderedDocument>;
  /** By page and by the name of a file, such as `llms.txt`. */
  readonly #written = new Map<string, Uint8Array>();

  constructor(
    site: ManualSite,
    files: ReadonlyMap<string, Uint8Array>,
    documents: ReadonlyMap<string, RenderedDocument>,
  ) {
    this.#site = site;
    this.#files = files;
    this.#documents = documents;
  }

  isOf(files: ReadonlyMap<string, Uint8Array>): boolean {
    return (
      files.size === this.#files.size &&
      files.entries().every(([name, bytes]) => this.#files.get(name) === bytes)
    );
  }

  names(): string[] {
    return this.#menuOf().flatMap(([, names]) => names);
  }

  page(name: string): Uint8Array | null {
    const document = this.#documents.get(name);
    if (!document && name !== 'reference') return null;
    const shell = this.#files.get(document ? template : referenceTemplate);
    if (!shell) return null;
    return this.#once(name, () => {
      const parts: Record<string, string> = {
        head: this.#site.head,
        title: escapeHtml(this.#titleOf(name)),
        menu: this.#menu(name),
        article: document?.html ?? '',
        contents: document ? contentsOf(document) : '',
        neighbours: this.#neighbours(name),
      };
      return Buffer.from(shell)
        .toString()
        .replaceAll(/(?<= (?:href|src)=")\/[^"]*/g, (address) => this.#site.file(address.slice(1)))
        .replaceAll(/<!-- (\w+) -->/g, (_, part: string) => parts[part] ?? '');
    });
  }

  markdown(name: string): Uint8Array | null {
    const bytes = this.#files.get(`docs/${name}.md`);
    if (!bytes) return null;
    const addressOf = addressesFrom(name, { ...this.#site, page: this.#site.markdown });
    return this.#once(`${name}.md`, () => withAddresses(Buffer.from(bytes).toString(), addressOf));
  }

  llms(): Uint8Array {
    return this.#once('llms.txt', () => {
      const groupsOfLinks = this.#menuOf().map(([title, names]) => {
        // Models with little room leave out what is called optional.
        const heading = title === 'Project' ? 'Optional' : title;
        return `## ${heading}\n\n${names.map((name) => this.#llmsLink(name)).join('\n')}\n`;
      });
      return `# Gantry\n\n> ${this.#summaryOf('index')}\n\n${groupsOfLinks.join('\n')}`;
    });
  }

  #llmsLink(name: string): string {
    const isReference = name === 'reference';
    const address = isReference ? this.#site.openApi : this.#site.markdown(name);
    const summary = isReference ? 'Every operation with its fields, as OpenAPI 3.1' : this.#summaryOf(name);
    return `- [${this.#titleOf(name)}](${address}): ${summary}`;
  }

  /** The first sentence of a page that says what it is about. */
  #summaryOf(name: string): string {
    const texts = this.#documents.get(name)?.sections.map(({ text }) => text) ?? [];
    const sentences = texts.flatMap((text) => text.split(/(?<=[.:]) (?=[A-Z])/));
    const first = sentences.find(
      (one) => /^[A-Z].{25}/.test(one) && !/^(The examples|Everything) /.test(one),
    );
    return (ownSummaries[name] ?? first ?? '').replaceAll('*', '').replace(/[.:]$/, '');
  }

  searchIndex(): Uint8Array {
    return this.#once('search.json', () => JSON.stringify([...this.#searchEntries()]));
  }

  #once(name: string, write: () => string): Uint8Array {
    const written = this.#written.get(name) ?? Buffer.from(write());
    this.#written.set(name, written);
    return written;
  }

  *#searchEntries(): Generator<SearchEntry> {
    for (const name of this.names()) {
      const page = this.#titleOf(name);
      for (const { id, title, depth, text } of this.#documents.get(name)?.sections ?? []) {
        const address = this.#site.page(name) + (id === '' || depth === 1 ? '' : `#${id}`);
        yield { address, page, title: title || page, depth, text };
      }
    }
  }

  /** The groups with their existing pages. */
  #menuOf(): [title: string, names: string[]][] {
    const named = new Set(groups.flatMap(([, names]) => names));
    const others = this.#documents.keys().filter((name) => !named.has(name));
    const exists = (name: string) => name === 'reference' || this.#documents.has(name);
    return [...groups, [lastGroup, [...others]] as const]
      .map(([title, names]): [string, string[]] => [title, names.filter(exists)])
      .filter(([, names]) => names.length > 0);
  }

  #titleOf(name: string): string {
    const heading = this.#documents.get(name)?.sections.find(({ depth }) => depth === 1);
    return ownTitles[name] ?? heading?.title ?? name;
  }

  #menu(shown: string): string {
    const item = (name: string) => {
      const current = name === shown ? ' aria-current="page"' : '';
      return `<li><a href="${this.#site.page(name)}"${current}>${escapeHtml(this.#titleOf(name))}</a></li>`;
    };
    return this.#menuOf()
      .map(
        ([title, names]) =>
          `<h2>${escapeHtml(title)}</h2>\n<ul class="plain-list">${names.map(item).join('\n')}</ul>`,
      )
      .join('\n');
  }

  #neighbours(shown: string): string {
    const names = this.names();
    const at = names.indexOf(shown);
    const link = (name: string | undefined, label: string, rel: string) =>
      name === undefined
        ? ''
        : `<a rel="${rel}" href="${this.#site.page(name)}"><span class="quiet small">${label}</span>${escapeHtml(this.#titleOf(name))}</a>`;
    return link(names[at - 1], 'Previous', 'prev') + link(names[at + 1], 'Next', 'next');
  }
}

function contentsOf({ sections }: RenderedDocument): string {
  const headings = sections.filter(({ depth }) => depth === 2);
  if (headings.length < 2) return '';
  const items = headings.map(({ id, title }) => `<li><a href="#${id}">${escapeHtml(title)}</a></li>`);
  return `<h2>On this page</h2>\n<ul class="plain-list">${items.join('\n')}</ul>`;
}
