import type { Assets } from './assets.ts';
import { type BundledPage, bundledPages, bundlePage, type PageBundle } from './page-bundle.ts';
import { Revalidated } from './revalidated.ts';

const pages = Object.keys(bundledPages) as BundledPage[];

/**
 * The assets with their pages bundled, so that a page loads with few requests. A page is bundled on first use, and again
 * when one of its files has changed. A page that cannot be bundled fails to be read, until its error is fixed.
 */
export class BundledAssets implements Assets {
  readonly #assets: Assets;
  readonly #bundles: ReadonlyMap<BundledPage, Revalidated<PageBundle>>;

  /** `bundle` makes a page's bundle. */
  constructor(assets: Assets, bundle: (page: BundledPage) => Promise<PageBundle> = bundlePage) {
    this.#assets = assets;
    this.#bundles = new Map(
      pages.map((page) => [
        page,
        new Revalidated(async (last) => ((await last?.isCurrent()) && last ? last : bundle(page))),
      ]),
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
    return bundle.files.get(name) ?? null;
  }
}
