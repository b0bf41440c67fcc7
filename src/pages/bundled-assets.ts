import type { Assets } from './assets.ts';
import { type BundledPage, bundledPages, bundlePage, type PageBundle } from './page-bundle.ts';
import { Revalidated } from './revalidated.ts';

const pages = Object.keys(bundledPages) as BundledPage[];

/**
 * The assets with their pages bundled, so that a page loads with fewer requests. A page is bundled on first use, and
 * again when one of its files has changed; a page that cannot be bundled is served unchanged and loads its modules one
 * by one.
 */
export class BundledAssets implements Assets {
  readonly #assets: Assets;
  readonly #bundles: ReadonlyMap<BundledPage, Revalidated<PageBundle>>;

  constructor(assets: Assets) {
    this.#assets = assets;
    this.#bundles = new Map(
      pages.map((page) => [page, new Revalidated((last) => this.#refresh(page, last))] as const),
    );
  }

  /** Does not include the bundles. */
  names(): readonly string[] {
    return this.#assets.names();
  }

  async read(name: string): Promise<Uint8Array | null> {
    const page = pages.find((one) => name === bundledPages[one] || name.startsWith(`bundles/${one}/`));
    const known = page && this.#bundles.get(page);
    if (!known) return this.#assets.read(name);
    // A bundle's files are requested right after their page, so only the page checks for changes.
    const isPage = name === bundledPages[page];
    const bundle = (!isPage && known.last) || (await known.current());
    return bundle.files.get(name) ?? this.#assets.read(name);
  }

  async #refresh(page: BundledPage, last: PageBundle | undefined): Promise<PageBundle> {
    if (last && (await this.#isCurrent(last))) return last;
    return bundlePage(this.#assets, page);
  }

  async #isCurrent({ inputs }: PageBundle): Promise<boolean> {
    const same = await Promise.all(
      [...inputs].map(async ([name, bytes]) => (await this.#assets.read(name)) === bytes),
    );
    return same.every(Boolean);
  }
}
