import { posix } from 'node:path';
import { documentFiles } from './vendored-files.ts';

/** Where readers find the manual: the addresses that its pages link to. */
export interface ManualSite {
  page(name: string): string;
  /** A page's Markdown. */
  markdown(name: string): string;
  /** An asset, or a file that a server creates: `docs/files/gantry.service`, `openapi.json`. */
  file(name: string): string;
  /** The address of the OpenAPI document for programs that read `llms.txt`. */
  openApi: string;
  /** What every page has in its head besides its template, as HTML. */
  head: string;
}

/** The manual at `/docs` of a server. */
export const servedManual: ManualSite = {
  page: (name) => (name === 'index' ? '/docs' : `/docs/${name}`),
  markdown: (name) => `/docs/${name}.md`,
  file: (name) => `/${name}`,
  openApi: '/openapi.json',
  head: '',
};

/** The repository path of a page's Markdown, to which its links are relative. */
function sourceOf(name: string): string {
  const document = documentFiles[`docs/${name}.md`];
  return document === undefined ? `public/docs/${name}.md` : posix.join('src', document);
}

/** The pages outside `public/docs/`, by the repository path of their Markdown. */
const pagesElsewhere = new Map(
  Object.entries(documentFiles).map(([asset, document]) => [
    posix.join('src', document),
    asset.slice('docs/'.length, -'.md'.length),
  ]),
);

/** Resolves the links of a page's document to addresses of a site; to null when the site does not have the file. */
export function addressesFrom(name: string, site: ManualSite): (link: string) => string | null {
  const folder = posix.dirname(sourceOf(name));
  return (link) => {
    if (/^(https?:|#)/.test(link)) return link;
    const [path = '', anchor] = link.split('#');
    const target = posix.join(folder, path);
    const page = pagesElsewhere.get(target) ?? /^public\/docs\/([\w-]+)\.md$/.exec(target)?.[1];
    if (page === undefined && !target.startsWith('public/')) return null;
    const address = page === undefined ? site.file(target.slice('public/'.length)) : site.page(page);
    return anchor === undefined ? address : `${address}#${anchor}`;
  };
}

/** A document with the addresses of its links resolved, except in blocks of code; a link without an address is text. */
export function withAddresses(markdown: string, addressOf: (link: string) => string | null): string {
  return markdown.replaceAll(
    /^```.*?^```$|(!?)\[([^\]]*)\]\(([^()\s]+)\)/gms,
    (found, mark: string | undefined, text: string, link: string) => {
      if (mark === undefined) return found;
      const address = addressOf(link);
      return address === null ? text : `${mark}[${text}](${address})`;
    },
  );
}
