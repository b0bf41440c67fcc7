/** Absolute URLs of this server. */
export class PublicUrls {
  readonly #base: () => string;

  /** `base` has no trailing slash; it is called on each use, because a free port is known only once bound. */
  constructor(base: () => string) {
    this.#base = base;
  }

  get base(): string {
    return this.#base();
  }

  get origin(): string {
    return new URL(this.#base()).origin;
  }

  /** Resolves a URL that may be a path on this server; an empty string stays empty. */
  absolute(url: string): string {
    return url.startsWith('/') ? `${this.#base()}${url}` : url;
  }

  /** The URL of the player's avatar, or of the identicon of the wallet. */
  avatar({ wallet, avatar }: { wallet: string; avatar: string }): string {
    return avatar || `${this.#base()}/avatars/${wallet}.svg`;
  }
}
