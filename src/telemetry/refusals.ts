import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { networkOf } from '../core/network-of.ts';
import { timestamp } from '../core/schemas/fields.ts';
import type { Page, Paged } from '../core/schemas/paging.ts';

/** Beyond this number, the least recently refused is evicted. */
const maxRemembered = 1_000;
const rememberedMs = 60 * 60 * 1000;

export const refusalRecord = z
  .object({
    reason: z.string().meta({ description: 'The `data.reason` of the error; `flood` or `slow-reader`' }),
    at: z.enum(['call', 'handshake', 'connection']),
    operation: z.string().nullable().meta({ description: 'The latest operation; null: unknown operation' }),
    gameId: z.string().nullable(),
    normalizedAddress: z.string().nullable().meta({ description: 'The player; null: unknown' }),
    network: z.string().meta({ description: 'The IP address, IPv6 as its /64' }),
    count: z.int(),
    firstAt: timestamp,
    lastAt: timestamp,
  })
  .meta({ id: 'RefusalRecord' });
export type RefusalRecord = z.infer<typeof refusalRecord>;

/** A client was refused or disconnected. */
export interface Refusal {
  reason: string;
  /** Whether a call, a socket's handshake, or the connection itself was refused. */
  at: RefusalRecord['at'];
  operation?: string | undefined;
  gameId?: string | undefined;
  wallet?: string | undefined;
  address: string;
  /** What was queued for a client that does not read. */
  queuedBytes?: number | undefined;
}

/** Recent refusals. */
export interface Refusals {
  /** Most recent first; optionally filtered by reason or game. */
  list(
    filter: { reason?: string | undefined; gameId?: string | undefined },
    page: Page,
  ): Paged<RefusalRecord>;
}

/** For the command line without a running server. */
export const noRefusals: Refusals = { list: () => ({ total: 0, rows: [] }) };

/**
 * The latest 1,000 refusals of the last hour, in memory, grouped by reason, game, player and address. Totals are
 * counted since the process started.
 */
export class RecentRefusals implements Refusals {
  /** By reason and place, for metrics. */
  readonly totals = new Map<string, { labels: { reason: string; at: string }; count: number }>();
  readonly #recent = new LRUCache<string, RefusalRecord>({ max: maxRemembered, ttl: rememberedMs });

  add({ reason, at, operation, gameId, wallet, address }: Refusal): void {
    const total = this.totals.get(`${reason} ${at}`);
    if (total) total.count++;
    else this.totals.set(`${reason} ${at}`, { labels: { reason, at }, count: 1 });
    const network = networkOf(address);
    const key = JSON.stringify([reason, at, gameId, wallet, network]);
    const before = this.#recent.get(key);
    const now = Date.now();
    this.#recent.set(key, {
      reason,
      at,
      operation: operation ?? null,
      gameId: gameId ?? null,
      normalizedAddress: wallet ?? null,
      network,
      count: (before?.count ?? 0) + 1,
      firstAt: before?.firstAt ?? now,
      lastAt: now,
    });
  }

  list(
    { reason, gameId }: { reason?: string | undefined; gameId?: string | undefined },
    { limit, skip }: Page,
  ): Paged<RefusalRecord> {
    this.#recent.purgeStale();
    const found = [...this.#recent.values()].filter(
      (one) =>
        (reason === undefined || one.reason === reason) && (gameId === undefined || one.gameId === gameId),
    );
    return { total: found.length, rows: found.slice(skip, skip + limit) };
  }
}
