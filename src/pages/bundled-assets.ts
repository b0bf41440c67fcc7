import type { Assets } from './assets.ts';
import { type BundledPage, bundledPages, bundlePage, type PageBundle } from './page-bundle.ts';

const pages = Object.keys(bundledPages) as BundledPage[];

/**
 * The assets with their pages bundled, which are loaded in fewer requests. A page is bundled when it is first asked for,
 * and again once a file of it has changed; one that cannot be bundled is as it was, and loads its modules one by one.
 */
export class BundledAssets implements Assets {
  readonly #assets: Assets;
  readonly #bundles = new Map<BundledPage, PageBundle>();
  readonly #underWay = new Map<BundledPage, Promise<PageBundle>>();

  constructor(assets: Assets) {
    this.#assets = assets;
  }

  /** Without the bundles. */
  names(): readonly string[] {
    return this.#assets.names();
  }

  async read(name: string): Promise<Uint8Array | null> {
    const page = pages.find((one) => name === bundledPages[one] || name.startsWith(`bundles/${one}/`));
    if (page === undefined) return this.#assets.read(name);
    // A file of a bundle is asked for right after the page that names it.
    const isPage = name === bundledPages[page];
    const bundle = (!isPage && this.#bundles.get(page)) || (await this.#current(page));
    return bundle.files.get(name) ?? this.#assets.read(name);
  }

  /** One at a time for a page. */
  #current(page: BundledPage): Promise<PageBundle> {
    const underWay = this.#underWay.get(page);
    if (underWay) return underWay;
    const current = this.#renew(page).finally(() => this.#underWay.delete(page));
    this.#underWay.set(page, current);
    return current;
  }

  async #renew(page: BundledPage): Promise<PageBundle> {
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
