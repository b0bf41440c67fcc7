import type { Assets } from './assets.ts';
import { type BundledPage, bundledPages, bundlePage, type PageBundle } from './page-bundle.ts';

const pages = Object.keys(bundledPages) as BundledPage[];

/**
 * The assets with their pages bundled, so that a page loads with fewer requests. A page is bundled on first use, and
 * again when one of its files has changed; a page that cannot be bundled is served unchanged and loads its modules one
 * by one.
 */
export class BundledAssets implements Assets {
  readonly #assets: Assets;
  readonly #bundles = new Map<BundledPage, PageBundle>();
  readonly #inFlight = new Map<BundledPage, Promise<PageBundle>>();

  constructor(assets: Assets) {
    this.#assets = assets;
  }

  /** Does not include the bundles. */
  names(): readonly string[] {
    return this.#assets.names();
  }

  async read(name: string): Promise<Uint8Array | null> {
    const page = pages.find((one) => name === bundledPages[one] || name.startsWith(`bundles/${one}/`));
    if (page === undefined) return this.#assets.read(name);
    // A bundle's files are requested right after their page, so only the page checks for changes.
    const isPage = name === bundledPages[page];
    const bundle = (!isPage && this.#bundles.get(page)) || (await this.#current(page));
    return bundle.files.get(name) ?? this.#assets.read(name);
  }

  /** The page's up-to-date bundle; concurrent callers share one build. */
  #current(page: BundledPage): Promise<PageBundle> {
    const inFlight = this.#inFlight.get(page);
    if (inFlight) return inFlight;
    const current = this.#refresh(page).finally(() => this.#inFlight.delete(page));
    this.#inFlight.set(page, current);
    return current;
  }

  async #refresh(page: BundledPage): Promise<PageBundle> {
    const last = this.#bundles.get(page);
    if (last && (await this.#isCurrent(last))) return last;
    const bundle = await bundlePage(this.#assets, page);
    this.#bundles.set(page, bundle);
    return bundle;
  }

  async #isCurrent({ inputs }: PageBundle): Promise<boolean> {
    const same = await Promise.all(
      [...inputs].map(async ([name, bytes]) => (await this.#assets.read(name)) === bytes),
    );
    return same.every(Boolean);
  }
}
