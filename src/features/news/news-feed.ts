import type { Signals } from '../../core/events/signals.ts';
import { type Store, writeAll } from '../../core/storage/store.ts';
import { repeat } from '../../runtime/repeat.ts';
import { publishDueNews } from './commands.ts';
import { announceNews } from './events.ts';
import { isReached, type NewsPosition, toAnnouncement } from './news.ts';
import { isNewsDue, lastPublication, publishedAfter } from './queries.ts';

/** How soon a scheduled item is published, and a process announces what another has published. */
const pollIntervalMs = 1_000;
/** Items announced per read. */
const announcedPerRead = 50;
/** Items published earlier than this were imported with their game. */
const announcedWithinMs = 10 * 60_000;

/**
 * Publishes scheduled news, and announces what is published. Every process has one: the command ensures that an item is
 * published once, and each process announces it to its own sockets, so that they receive it even when the process
 * that published it ended before it could notify others.
 */
export class NewsFeed {
  readonly #db: Store;
  readonly #signals: Signals;
  /** The last item that was announced, or published before the start. */
  #last: NewsPosition | null = null;

  constructor(db: Store, signals: Signals) {
    this.#db = db;
    this.#signals = signals;
  }

  async start(options: { signal: AbortSignal; report(thrown: unknown): void }): Promise<void> {
    this.#last = await this.#db.read(lastPublication);
    repeat(() => this.#poll(), { everyMs: pollIntervalMs, firstMs: pollIntervalMs / 2, ...options });
  }

  /** Announces what was published since the last call. */
  async announce(): Promise<void> {
    for (let more = true; more && this.#last; ) {
      const rows = await this.#db.read(publishedAfter, this.#last, announcedPerRead);
      const now = this.#db.now();
      for (const row of rows) {
        const position = { publishedAt: row.publishedAt, newsId: row.id };
        if (isReached(position, this.#last)) continue; // by a call at the same time
        this.#last = position;
        const isNew = row.publishedAt > now - announcedWithinMs && row.expiresAt > now;
        if (isNew) announceNews(this.#signals, toAnnouncement(row));
      }
      more = rows.length === announcedPerRead;
    }
  }

  async #poll(): Promise<void> {
    if (await this.#db.read(isNewsDue)) await writeAll(this.#db, publishDueNews);
    await this.announce();
  }
}
