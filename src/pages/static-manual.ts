import type { Assets } from './assets.ts';
import { Manual } from './manual.ts';
import { contentSecurityPolicy } from './page-policy.ts';

/** By path in the site. */
export type SiteFiles = Map<string, Uint8Array | string>;

/**
 * The manual as the files of a static site. Links are relative and all pages are in one folder, so that any file server
 * can serve them at any path.
 * @param openApi the document that the API reference shows, as JSON
 * @param base the URL of the site, to which the links for language models are resolved; empty: they are relative
 */
export async function staticManual(assets: Assets, openApi: string, base = ''): Promise<SiteFiles> {
  const linked = new Set<string>();
  const manual = new Manual(assets, {
    page: (name) => `${name}.html`,
    markdown: (name) => `${base}${name}.md`,
    file: (name) => {
      linked.add(withoutQuery(name));
      return placeOf(name);
    },
    openApi: `${base}openapi.json`,
    head: `<meta http-equiv="Content-Security-Policy" content="${policy()}" /><meta name="gantry-static" />`,
  });
  const files: SiteFiles = new Map();
  for (const name of await manual.names()) {
    const page = await manual.page(name);
    const markdown = await manual.markdown(name);
    if (page) files.set(`${name}.html`, page);
    if (markdown) files.set(`${name}.md`, markdown);
  }
  files.set('search.json', await manual.searchIndex());
  files.set('llms.txt', await manual.llms());
  files.set('openapi.json', openApi);
  // A set is iterated up to what is added meanwhile.
  for (const name of linked) {
    if (files.has(name)) continue;
    const bytes = await assets.read(name);
    if (!bytes) throw new Error(`The manual links to ${name}, which this build does not include`);
    files.set(placeOf(name), isBundle(name) ? withoutSourceMap(bytes) : bytes);
    for (const other of isBundle(name) ? loadedBy(name, bytes) : []) linked.add(other);
  }
  return files;
}

/** Where an asset is in the site. */
function placeOf(name: string): string {
  return name.replace(/^docs\//, '');
}

function withoutQuery(address: string): string {
  return address.replace(/\?.*$/, '');
}

function isBundle(name: string): boolean {
  return name.startsWith('bundles/');
}

/** The other modules of a bundle, and the files of its style sheet. */
function loadedBy(name: string, bytes: Uint8Array): string[] {
  const found = Buffer.from(bytes)
    .toString()
    .matchAll(/["(](\.\.?\/[\w./-]+)(?:\?v=\w+)?[")]/g);
  return [...found].map(([, path = '']) => new URL(path, `file:///${name}`).pathname.slice(1));
}

/** The map would refer to the sources, which are not part of the site. */
function withoutSourceMap(bytes: Uint8Array): string {
  return Buffer.from(bytes)
    .toString()
    .replace(/^(\/\/|\/\*)# sourceMappingURL=.*$/m, '');
}

/** As the server's, except what browsers accept in a header only. */
function policy(): string {
  return contentSecurityPolicy('docs', { gameUrls: [], gameImages: [] }).replace(
    /; frame-ancestors [^;]*/,
    '',
  );
}
