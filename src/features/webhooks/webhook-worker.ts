import { randomUUID } from 'node:crypto';
import type { Store } from '../../core/storage/store.ts';
import type { QueueCounts } from '../../telemetry/metric-sources.ts';
import type { SecretBox } from '../games/game-secret.ts';
import { backoffMs } from '../queue/backoff.ts';
import { renewClaims } from '../queue/commands.ts';
import { QueueWorker } from '../queue/queue-worker.ts';
import { claimDue } from './claim.ts';
import type { ClaimedDelivery, DeliveryOutcome } from './delivery.ts';
import { settleDelivery } from './delivery-commands.ts';
import type { WebhookAnswer, WebhookSender } from './webhook-sender.ts';

export interface WebhookWorkerOptions {
  sender: WebhookSender;
  /** Decrypts the webhooks' secrets. */
  box: SecretBox;
  /** Receives unhandled errors and outages; the worker continues. */
  report(thrown: unknown): void;
  /** The poll interval without a wake, in milliseconds. */
  pollMs?: number;
  /** The lifetime of a claim; it is renewed while its delivery is in flight. */
  leaseMs?: number;
  /** The most concurrent deliveries of this process. */
  room?: number;
  /** The most concurrent deliveries to one host; one at a time if its last delivery failed. */
  perHost?: number;
  /** The delay before attempt `attempts` + 1, in milliseconds. */
  backoff?: (attempts: number) => number;
}

/** How long wakes are coalesced before a poll: there may be thousands of commits per second. */
const batchDelayMs = 10;
/** The longest wait a receiver can ask for with `Retry-After`. */
const maxRetryAfterMs = 60 * 60 * 1000;
/** The most hosts recorded as failing; beyond that, the oldest is evicted. */
const maxFailingHosts = 10_000;

/**
 * Delivers webhooks, a few at once per host, so that a slow one does not block others; records each attempt's outcome.
 */
export class WebhookWorker {
  /** Identifies this process's claims. */
  readonly node = randomUUID();
  readonly #db: Store;
  readonly #options: Required<WebhookWorkerOptions>;
  readonly #worker: QueueWorker<ClaimedDelivery>;
  readonly #active = new Map<string, number>();
  readonly #failing = new Set<string>();
  readonly #counts: QueueCounts = { confirmed: 0, failed: 0, retried: 0 };

  constructor(db: Store, options: WebhookWorkerOptions) {
    this.#db = db;
    this.#options = {
      pollMs: 1_000,
      leaseMs: 30_000,
      room: 256,
      perHost: 4,
      backoff: backoffMs,
      ...options,
    };
    const { leaseMs, perHost } = this.#options;
    this.#worker = new QueueWorker<ClaimedDelivery>(
      {
        find: (room) =>
          claimDue(this.#db, this.node, { room, perHost, busyHosts: this.#roomByHost(), leaseMs }),
        keyOf: ({ deliveryId }) => deliveryId,
        run: (delivery, stopping) => this.#run(delivery, stopping),
        renewal: {
          intervalMs: leaseMs / 3,
          renew: (ids) => this.#db.write(renewClaims, this.node, ids, leaseMs),
        },
      },
      { ...this.#options, batchDelayMs },
    );
  }

  start(): void {
    this.#worker.start();
  }

  /** Polls for due deliveries shortly. Cheap when there are none. */
  wake(): void {
    this.#worker.wake();
  }

  /** Outcomes since its start. */
  counts(): Readonly<QueueCounts> {
    return this.#counts;
  }

  /** Claims nothing more, aborts deliveries in flight (they are retried), and resolves when that is recorded. */
  stop(): Promise<void> {
    return this.#worker.stop();
  }

  #roomByHost(): Record<string, number> {
    const room: Record<string, number> = {};
    for (const host of this.#failing) room[host] = 1;
    for (const [host, active] of this.#active) room[host] = (room[host] ?? this.#options.perHost) - active;
    return room;
  }

  async #run(delivery: ClaimedDelivery, stopping: AbortSignal): Promise<boolean> {
    const { deliveryId, host } = delivery;
    this.#active.set(host, (this.#active.get(host) ?? 0) + 1);
    try {
      const answer = await this.#deliver(delivery, stopping);
      this.#updateFailing(host, answer.delivered || stopping.aborted);
      const outcome = this.#outcome(delivery, answer, stopping);
      const end = await this.#db.write(settleDelivery, this.node, deliveryId, outcome);
      if (end !== null) this.#counts[end]++;
    } catch (thrown) {
      this.#options.report(thrown); // the claim expires, and the next process to claim it retries
    } finally {
      const active = (this.#active.get(host) ?? 1) - 1;
      if (active > 0) this.#active.set(host, active);
      else this.#active.delete(host);
    }
    return true; // there is room for another one
  }

  async #deliver(delivery: ClaimedDelivery, stopping: AbortSignal): Promise<WebhookAnswer> {
    const { url, deliveryId, payload, sealedSecrets } = delivery;
    const { sender, box, report } = this.#options;
    try {
      const secrets = sealedSecrets.map((sealed) => box.open(sealed));
      const message = { url, id: deliveryId, body: JSON.stringify(payload), secrets };
      return await sender.send(message, stopping);
    } catch (thrown) {
      report(thrown);
      const error = 'unexpected error; see the server log';
      return { delivered: false, status: null, error, retryAfterMs: null };
    }
  }

  #outcome({ attempts }: ClaimedDelivery, answer: WebhookAnswer, stopping: AbortSignal): DeliveryOutcome {
    if (answer.delivered) return { delivered: true };
    const { error, status, retryAfterMs } = answer;
    if (stopping.aborted && status === null) {
      return { delivered: false, error, dueAt: this.#db.now(), gone: false };
    }
    const wait = Math.max(this.#options.backoff(attempts), Math.min(retryAfterMs ?? 0, maxRetryAfterMs));
    return { delivered: false, error, dueAt: Math.round(this.#db.now() + wait), gone: status === 410 };
  }

  #updateFailing(host: string, succeeded: boolean): void {
    this.#failing.delete(host);
    if (succeeded) return;
    this.#failing.add(host);
    const [first] = this.#failing;
    if (first !== undefined && this.#failing.size > maxFailingHosts) this.#failing.delete(first);
  }
}
