import { z } from 'zod';
import { timestamp } from '../core/schemas/ids.ts';
import type { Page, Paged } from '../core/schemas/paging.ts';
import { reasons } from '../errors.ts';
import { networkOf } from '../limits/network-of.ts';
import type { CallObservation } from './call-observer.ts';

/** From here on a call is kept for having been slow. */
export const slowMs = 250;
/** Of the others, those that ended so long after the one kept before. */
const sampledEveryMs = 100;
/** The longest text of a refusal that is kept. */
const maxMessage = 300;

/** How many are kept of each kind: what comes in floods displaces only its own. */
const kept = { failed: 500, refused: 1_000, slow: 500, sampled: 1_000 };
type Kind = keyof typeof kept;

export const requestRecord = z
  .object({
    id: z.string().meta({ description: "The answer's `X-Request-Id`, and `id` in the log" }),
    at: timestamp.meta({ description: 'When it was answered' }),
    durationMs: z.number(),
    transport: z.enum(['http', 'socket']),
    operation: z.string().nullable().meta({ description: 'Null: it named none there is' }),
    status: z.int().nullable().meta({ description: 'The HTTP status; null: the caller was gone' }),
    reason: z.string().nullable().meta({ description: 'The `data.reason` of the error; null: it had none' }),
    message: z.string().nullable().meta({ description: 'What the caller was told' }),
    gameId: z.string().nullable(),
    normalizedAddress: z
      .string()
      .nullable()
      .meta({ description: "The player who called, or whom the game's server called about" }),
    isServer: z.boolean().meta({ description: "Whether the game's own server called" }),
    network: z.string().meta({ description: 'The IP address, IPv6 as its /64' }),
  })
  .meta({ id: 'RequestRecord' });
export type RequestRecord = z.infer<typeof requestRecord>;

/** `failed`: answered with 5xx; `refused`: with 4xx, or not heard out; `slow`: took long, however it ended. */
export const requestOutcome = z.enum(['ok', 'refused', 'failed', 'slow']);

export interface RequestFilter {
  outcome?: z.infer<typeof requestOutcome> | undefined;
  /** Exactly, or its beginning. */
  id?: string | undefined;
  reason?: string | undefined;
  operation?: string | undefined;
  gameId?: string | undefined;
  wallet?: string | undefined;
  /** Answered then or later, in Unix milliseconds. */
  from?: number | undefined;
  /** Answered before then. */
  to?: number | undefined;
}

/** Calls that were answered lately. */
export interface Requests {
  /** Latest first. */
  list(filter: RequestFilter, page: Page): Paged<RequestRecord>;
}

/** Where no server runs: nobody called. */
export const noRequests: Requests = { list: () => ({ total: 0, rows: [] }) };

/**
 * The calls that this process answered lately, in its memory: all that failed, were refused or were slow, and of the others
 * at most ten a second, in rings of a fixed size. A call costs a look at its outcome and two numbers; the record that is
 * kept is the observation itself, and what is shown of it is made when somebody asks.
 */
export class RecentRequests implements Requests {
  readonly #rings: Readonly<Record<Kind, Ring>> = {
    failed: new Ring(kept.failed),
    refused: new Ring(kept.refused),
    slow: new Ring(kept.slow),
    sampled: new Ring(kept.sampled),
  };
  readonly #notSampled: ReadonlySet<string>;
  #sampledAt = Number.NEGATIVE_INFINITY;

  /** `notSampled`: operations that are kept only where they failed, were refused or slow. */
  constructor(notSampled: ReadonlySet<string> = new Set()) {
    this.#notSampled = notSampled;
  }

  add(call: Readonly<CallObservation>): void {
    const { outcome } = call;
    if (outcome === 'ok') {
      if (call.durationMs >= slowMs) this.#rings.slow.add(call);
      else if (call.endedAt - this.#sampledAt >= sampledEveryMs) this.#sample(call);
    } else if (outcome !== 'aborted' && reasons[outcome] >= 500) this.#rings.failed.add(call);
    else this.#rings.refused.add(call);
  }

  #sample(call: Readonly<CallObservation>): void {
    if (call.operation !== undefined && this.#notSampled.has(call.operation)) return;
    this.#sampledAt = call.endedAt;
    this.#rings.sampled.add(call);
  }

  list(filter: RequestFilter, { limit, skip }: Page): Paged<RequestRecord> {
    const startedAt = Date.now() - performance.now();
    const found = Object.values(this.#rings)
      .flatMap((ring) => ring.calls())
      .toSorted((one, other) => other.endedAt - one.endedAt)
      .map((call) => toRecord(call, startedAt))
      .filter((record) => matches(record, filter));
    return { total: found.length, rows: found.slice(skip, skip + limit) };
  }
}

/** Keeps the latest of what it is given. */
class Ring {
  readonly #calls: CallObservation[] = [];
  readonly #size: number;
  #next = 0;

  constructor(size: number) {
    this.#size = size;
  }

  add(call: Readonly<CallObservation>): void {
    this.#calls[this.#next] = call;
    this.#next = (this.#next + 1) % this.#size;
  }

  calls(): readonly CallObservation[] {
    return this.#calls;
  }
}

function toRecord(call: CallObservation, startedAt: number): RequestRecord {
  const { id, operation, gameId, wallet, isServer, address, transport, outcome, message } = call;
  const isRefused = outcome !== 'ok' && outcome !== 'aborted';
  return {
    id,
    at: Math.round(startedAt + call.endedAt),
    durationMs: Math.round(call.durationMs * 10) / 10,
    transport,
    operation: operation ?? null,
    status: isRefused ? reasons[outcome] : outcome === 'ok' ? 200 : null,
    reason: isRefused ? outcome : null,
    message: message?.slice(0, maxMessage) ?? null,
    gameId: gameId ?? null,
    normalizedAddress: wallet ?? null,
    isServer,
    network: networkOf(address),
  };
}

function matches(record: RequestRecord, filter: RequestFilter): boolean {
  const { outcome, id, reason, operation, gameId, wallet, from, to } = filter;
  return (
    (outcome === undefined || hasOutcome(record, outcome)) &&
    (id === undefined || record.id.startsWith(id)) &&
    (reason === undefined || record.reason === reason) &&
    (operation === undefined || record.operation === operation) &&
    (gameId === undefined || record.gameId === gameId) &&
    (wallet === undefined || record.normalizedAddress === wallet) &&
    (from === undefined || record.at >= from) &&
    (to === undefined || record.at < to)
  );
}

function hasOutcome({ status, durationMs }: RequestRecord, outcome: RequestFilter['outcome']): boolean {
  switch (outcome) {
    case 'ok':
      return status === 200;
    case 'refused':
      return status === null || (status >= 400 && status < 500);
    case 'failed':
      return status !== null && status >= 500;
    default:
      return durationMs >= slowMs;
  }
}
