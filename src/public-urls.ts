import type { Player } from './players/player.ts';

/** Absolute addresses of what this server serves. */
export class PublicUrls {
  readonly #base: () => string;

  /** `base` without a slash at its end; asked for at each use, because a free port is known only once bound. */
  constructor(base: () => string) {
    this.#base = base;
  }

  get base(): string {
    return this.#base();
  }

  get origin(): string {
    return new URL(this.#base()).origin;
  }

  /** An address that may be a path of this server's, made absolute; empty stays empty. */
  absolute(url: string): string {
    return url.startsWith('/') ? `${this.#base()}${url}` : url;
  }

  /** The player's own avatar, or the identicon of the wallet. */
  avatar({ wallet, avatar }: Pick<Player, 'wallet' | 'avatar'>): string {
    return avatar || `${this.#base()}/avatars/${wallet}.svg`;
  }
}
