import { Observable } from '../../shared/observable.js';
import { whenPassed } from '../../shared/when-passed.js';

/** @typedef {import('gantry-client').OperationOutput<'listNews'>['news'][number]} NewsItem */

const pageLength = 20;
/** News that are published together are read once. */
const reloadDelayMs = 300;

/** The news of the installation and of all games, for a player. */
export class News extends Observable {
  #connection;
  #reloadTimer = 0;
  #stopExpiry = () => {};
  #cursor = '';
  #isLoadingMore = false;
  #unsubscribe;
  /** Pinned first, then the latest. @type {readonly NewsItem[] | null} null until loaded */
  items = null;
  unread = 0;
  /** @type {string | null} */
  #newest = null;
  hasMore = false;
  /** The ids of items that were marked as read here while they were shown: they stay highlighted. @type {Set<string>} */
  #markedHere = new Set();
  /** The player may have read them on another device, or they may have been removed: neither is told. */
  #lookedAt = () => {
    if (document.visibilityState === 'visible') this.load(true);
  };
  /** @type {unknown} */
  error = null;

  /** @param {import('gantry-client').GantryClient} connection with the launcher's own token */
  constructor(connection) {
    super();
    this.#connection = connection;
    this.#unsubscribe = connection.on('news created', () => {
      clearTimeout(this.#reloadTimer);
      this.#reloadTimer = window.setTimeout(() => this.load(true), reloadDelayMs);
    });
    document.addEventListener('visibilitychange', this.#lookedAt);
  }

  close() {
    this.#unsubscribe();
    document.removeEventListener('visibilitychange', this.#lookedAt);
    clearTimeout(this.#reloadTimer);
    this.#stopExpiry();
  }

  /**
   * Also after a reconnect: signals are not replayed.
   * @param {boolean} [keepsHighlights] of what was marked as read here
   */
  async load(keepsHighlights = false) {
    try {
      const { news, unread = 0, newest = null, nextCursor, more } = await this.#page({});
      if (!keepsHighlights) this.#markedHere.clear();
      this.items = news.map((item) => (this.#markedHere.has(item.newsId) ? { ...item, read: false } : item));
      this.unread = unread;
      this.#newest = newest;
      this.#cursor = nextCursor;
      this.hasMore = more;
      this.error = null;
      this.#expireLater();
    } catch (error) {
      if (this.items === null) this.error = error;
    }
    this.changed();
  }

  /** Loads the items again when the next one expires. */
  #expireLater() {
    this.#stopExpiry();
    this.#stopExpiry = whenPassed(this.items?.map(({ expiresAt }) => expiresAt) ?? [], () => this.load(true));
  }

  async loadMore() {
    if (this.#isLoadingMore) return;
    this.#isLoadingMore = true;
    try {
      const { news, nextCursor, more } = await this.#page({ cursor: this.#cursor });
      const known = new Set(this.items?.map(({ newsId }) => newsId));
      this.items = [...(this.items ?? []), ...news.filter(({ newsId }) => !known.has(newsId))];
      this.#cursor = nextCursor;
      this.hasMore = more;
      this.#expireLater();
    } finally {
      this.#isLoadingMore = false;
      this.changed();
    }
  }

  /** Marks all as read; the items stay marked as unread until they are loaded again. */
  async markRead() {
    if (this.unread === 0 || this.#newest === null) return;
    const upTo = this.#newest;
    for (const { newsId, read } of this.items ?? []) if (read === false) this.#markedHere.add(newsId);
    this.unread = 0;
    this.changed();
    await this.#connection.call('markNewsRead', { upTo });
  }

  /** @param {{ cursor?: string }} place */
  #page(place) {
    return this.#connection.call('listNews', { limit: pageLength, ...place });
  }
}
