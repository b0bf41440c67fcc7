import { z } from 'zod';
import { reasons } from '../core/errors.ts';
import { networkOf } from '../core/network-of.ts';
import { timestamp } from '../core/schemas/fields.ts';
import type { Page, Paged } from '../core/schemas/paging.ts';
import type { CallObservation } from './call-observer.ts';

/** Calls that took at least this long are kept as slow. */
export const slowMs = 250;
/** The minimum interval between two sampled calls, for those that are not kept otherwise. */
const sampleIntervalMs = 100;
/** The maximum length of a stored error message. */
const maxMessageLength = 300;

/** The number of calls kept of each kind: a flood of one kind evicts only its own. */
const capacities = { failed: 500, refused: 1_000, slow: 500, sampled: 1_000 };
type Kind = keyof typeof capacities;

export const requestRecord = z
  .object({
    id: z.string().meta({ description: "The response's `X-Request-Id`, which is `id` in the log" }),
    at: timestamp.meta({ description: 'When the call was completed' }),
    durationMs: z.number(),
    transport: z.enum(['http', 'socket']),
    operation: z.string().nullable().meta({ description: 'null: unknown operation' }),
    status: z.int().nullable().meta({ description: 'HTTP status; null: the client disconnected first' }),
    reason: z.string().nullable().meta({ description: 'The `data.reason` of the error; null: none' }),
    message: z.string().nullable().meta({ description: 'The error message that the caller received' }),
    gameId: z.string().nullable(),
    normalizedAddress: z
      .string()
      .nullable()
      .meta({ description: "The player who called, or for whom the game's server called" }),
    isServer: z.boolean().meta({ description: "Whether the game's own server called" }),
    network: z.string().meta({ description: 'The IP address, IPv6 as its /64' }),
  })
  .meta({ id: 'RequestRecord' });
export type RequestRecord = z.infer<typeof requestRecord>;

/** `failed`: answered with 5xx; `refused`: with 4xx, or aborted; `slow`: took long, regardless of the outcome. */
export const requestOutcome = z.enum(['ok', 'refused', 'failed', 'slow']);

export interface RequestFilter {
  outcome?: z.infer<typeof requestOutcome> | undefined;
  /** The id or a prefix of it. */
  id?: string | undefined;
  reason?: string | undefined;
  operation?: string | undefined;
  gameId?: string | undefined;
  wallet?: string | undefined;
  /** Answered at or after this time, in Unix milliseconds. */
  from?: number | undefined;
  /** Answered before this time. */
  to?: number | undefined;
}

/** Recently answered calls. */
export interface Requests {
  /** Latest first. */
  list(filter: RequestFilter, page: Page): Paged<RequestRecord>;
}

/** For the command line without a running server. */
export const noRequests: Requests = { list: () => ({ total: 0, rows: [] }) };

/**
 * The calls that this process answered recently, in memory: all that failed, were refused or were slow, and a sample of
 * at most ten a second of the others, in ring buffers of a fixed size. A call costs a check of its outcome and two
 * numbers: the observation itself is stored, and converted to a record only when it is read.
 */
export class RecentRequests implements Requests {
  readonly #rings: Readonly<Record<Kind, Ring>> = {
    failed: new Ring(capacities.failed),
    refused: new Ring(capacities.refused),
    slow: new Ring(capacities.slow),
    sampled: new Ring(capacities.sampled),
  };
  readonly #notSampled: ReadonlySet<string>;
  #sampledAt = Number.NEGATIVE_INFINITY;

  /** `notSampled`: operations that are kept only when they failed, were refused or were slow. */
  constructor(notSampled: ReadonlySet<string> = new Set()) {
    this.#notSampled = notSampled;
  }

  add(call: Readonly<CallObservation>): void {
    const { outcome } = call;
    if (outcome === 'ok') {
      if (call.durationMs >= slowMs) this.#rings.slow.add(call);
      else if (call.endedAt - this.#sampledAt >= sampleIntervalMs) this.#sample(call);
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

/** A ring buffer of the latest calls. */
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
    message: message?.slice(0, maxMessageLength) ?? null,
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
