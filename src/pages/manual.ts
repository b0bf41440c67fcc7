import { posix } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Assets } from './assets.ts';
import { escapeHtml, type RenderedDocument, renderMarkdown } from './markdown.ts';
import { Revalidated } from './revalidated.ts';
import { documentFiles } from './vendored-files.ts';

/** The menu. Pages not listed here come last; listed pages that do not exist are omitted. */
const groups: readonly (readonly [title: string, pages: readonly string[]])[] = [
  [
    'Start',
    [
      'index',
      'first-browser-game',
      'first-unity-game',
      'first-godot-game',
      'first-python-game',
      'launcher',
      'first-session',
      'coming-from-basement',
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
      'back-up',
      'upgrade',
      'player-data',
      'install',
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

/**
 * The manual: every Markdown file `docs/<name>.md` of the assets is a page at `/docs/<name>`, and the index at `/docs`.
 */
export class Manual {
  readonly #assets: Assets;
  readonly #edition = new Revalidated<Edition>((last) => this.#refresh(last));
  /** By the document's bytes, so that an edit renders only one page again. */
  readonly #rendered = new WeakMap<Uint8Array, RenderedDocument>();

  constructor(assets: Assets) {
    this.#assets = assets;
  }

  /** A page as HTML; null when it does not exist. An unchanged page is the same object, see `Assets`. */
  async page(name: string): Promise<Uint8Array | null> {
    return (await this.#edition.current()).page(name);
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
    return last?.isOf(files) ? last : new Edition(files, await this.#render(files));
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
        const source = sourceOf(name);
        document = renderMarkdown(Buffer.from(bytes).toString(), (link) => addressOf(link, source));
        this.#rendered.set(bytes, document);
      }
      documents.set(name, document);
    }
    return documents;
  }
}

/** The manual rendered from one version of its files. */
class Edition {
  readonly #files: ReadonlyMap<string, Uint8Array>;
  readonly #documents: ReadonlyMap<string, RenderedDocument>;
  readonly #pages = new Map<string, Uint8Array>();
  #searchIndex: Uint8Array | undefined;

  constructor(files: ReadonlyMap<string, Uint8Array>, documents: ReadonlyMap<string, RenderedDocument>) {
    this.#files = files;
    this.#documents = documents;
  }

  isOf(files: ReadonlyMap<string, Uint8Array>): boolean {
    return (
      files.size === this.#files.size &&
      files.entries().every(([name, bytes]) => this.#files.get(name) === bytes)
    );
  }

  page(name: string): Uint8Array | null {
    const known = this.#pages.get(name);
    if (known) return known;
    const document = this.#documents.get(name);
    if (!document && name !== 'reference') return null;
    const shell = this.#files.get(document ? template : referenceTemplate);
    if (!shell) return null;
    const parts: Record<string, string> = {
      title: escapeHtml(this.#titleOf(name)),
      menu: this.#menu(name),
      article: document?.html ?? '',
      contents: document ? contentsOf(document) : '',
      neighbours: this.#neighbours(name),
    };
    const html = Buffer.from(shell)
      .toString()
      .replaceAll(/<!-- (\w+) -->/g, (_, part: string) => parts[part] ?? '');
    const page = Buffer.from(html);
    this.#pages.set(name, page);
    return page;
  }

  searchIndex(): Uint8Array {
    this.#searchIndex ??= Buffer.from(JSON.stringify([...this.#searchEntries()]));
    return this.#searchIndex;
  }

  *#searchEntries(): Generator<SearchEntry> {
    for (const name of this.#menuOf().flatMap(([, names]) => names)) {
      const page = this.#titleOf(name);
      for (const { id, title, depth, text } of this.#documents.get(name)?.sections ?? []) {
        const address = pageAddress(name) + (id === '' || depth === 1 ? '' : `#${id}`);
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
      return `<li><a href="${pageAddress(name)}"${current}>${escapeHtml(this.#titleOf(name))}</a></li>`;
    };
    return this.#menuOf()
      .map(
        ([title, names]) =>
          `<h2>${escapeHtml(title)}</h2>\n<ul class="plain-list">${names.map(item).join('\n')}</ul>`,
      )
      .join('\n');
  }

  #neighbours(shown: string): string {
    const names = this.#menuOf().flatMap(([, all]) => all);
    const at = names.indexOf(shown);
    const link = (name: string | undefined, label: string, rel: string) =>
      name === undefined
        ? ''
        : `<a rel="${rel}" href="${pageAddress(name)}"><span class="quiet small">${label}</span>${escapeHtml(this.#titleOf(name))}</a>`;
    return link(names[at - 1], 'Previous', 'prev') + link(names[at + 1], 'Next', 'next');
  }
}

function contentsOf({ sections }: RenderedDocument): string {
  const headings = sections.filter(({ depth }) => depth === 2);
  if (headings.length < 2) return '';
  const items = headings.map(({ id, title }) => `<li><a href="#${id}">${escapeHtml(title)}</a></li>`);
  return `<h2>On this page</h2>\n<ul class="plain-list">${items.join('\n')}</ul>`;
}

function pageAddress(name: string): string {
  return name === 'index' ? '/docs' : `/docs/${name}`;
}

/** The repository path of a page's Markdown, to which its links are relative. */
function sourceOf(name: string): string {
  const document = documentFiles[`docs/${name}.md`];
  return document === undefined ? `public/docs/${name}.md` : posix.join('src', document);
}

const addresses = new Map(
  Object.entries(documentFiles).map(([asset, document]) => [
    posix.join('src', document),
    pageAddress(asset.slice('docs/'.length, -'.md'.length)),
  ]),
);

/** The URL on this server that a document's link refers to; null when the file is not served. */
function addressOf(link: string, source: string): string | null {
  if (/^(https?:|#)/.test(link)) return link;
  const [path = '', anchor] = link.split('#');
  const target = posix.join(posix.dirname(source), path);
  const [, page] = /^public\/docs\/([\w-]+)\.md$/.exec(target) ?? [];
  const address =
    page === undefined
      ? (addresses.get(target) ?? (target.startsWith('public/') ? target.slice('public'.length) : null))
      : pageAddress(page);
  return address === null || anchor === undefined ? address : `${address}#${anchor}`;
}
