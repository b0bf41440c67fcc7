import { randomUUID } from 'node:crypto';
import type { SecretBox } from '../auth/game-secret.ts';
import { backoffMs } from '../queue/backoff.ts';
import type { QueueCounts } from '../queue/queue-figures.ts';
import type { ClaimedDelivery, DeliveryOutcome, Store } from '../store/store.ts';
import type { WebhookAnswer, WebhookSender } from './webhook-sender.ts';

export interface WebhookWorkerOptions {
  sender: WebhookSender;
  /** Opens the webhooks' secrets. */
  box: SecretBox;
  /** Told of a defect or an outage; the worker goes on. */
  report(thrown: unknown): void;
  /** How often due deliveries are looked for when nobody wakes it, in milliseconds. */
  pollMs?: number;
  /** How long a claim holds; it is renewed while its delivery is made. */
  leaseMs?: number;
  /** How many deliveries this process makes at once. */
  room?: number;
  /** How many of them to one host; to one that did not answer as it should the last time, a single one. */
  perHost?: number;
  /** The wait before try `attempts` + 1, in milliseconds. */
  backoff?: (attempts: number) => number;
}

/** Commits come in their thousands; so long they are gathered before the store is looked into. */
const gatherMs = 10;
/** The longest wait a receiver can ask for with `Retry-After`. */
const longestRetryAfterMs = 60 * 60 * 1000;
/** Hosts remembered as failing; beyond, the one that failed first is forgotten. */
const rememberedHosts = 10_000;

/**
 * Delivers webhooks: claims due deliveries, a few for each host, so that one that hangs holds up no other;
 * sends each, and writes how that ended. Looks when woken (after a commit) and by a timer, which also finds
 * what another process has queued or left behind.
 */
export class WebhookWorker {
  /** Names this process's claims. */
  readonly node = randomUUID();
  readonly #store: Pick<Store, 'webhooks' | 'actions'>;
  readonly #options: Required<WebhookWorkerOptions>;
  readonly #running = new Map<string, Promise<void>>();
  readonly #active = new Map<string, number>();
  readonly #failing = new Set<string>();
  readonly #counts: QueueCounts = { confirmed: 0, failed: 0, retried: 0 };
  readonly #stopping = new AbortController();
  #timers: NodeJS.Timeout[] = [];
  #gathering: NodeJS.Timeout | undefined;
  #looking: Promise<void> | null = null;
  #lookAgain = false;

  constructor(store: Pick<Store, 'webhooks' | 'actions'>, options: WebhookWorkerOptions) {
    this.#store = store;
    this.#options = {
      pollMs: 1_000,
      leaseMs: 30_000,
      room: 256,
      perHost: 4,
      backoff: backoffMs,
      ...options,
    };
  }

  start(): void {
    const { pollMs, leaseMs, report } = this.#options;
    const renew = () => {
      const held = [...this.#running.keys()];
      if (held.length > 0) this.#store.actions.renew(this.node, held, leaseMs).catch(report);
    };
    this.#timers = [setInterval(() => this.wake(), pollMs).unref(), setInterval(renew, leaseMs / 3).unref()];
    this.wake();
  }

  /** Looks for due deliveries in a moment. Cheap when there are none. */
  wake(): void {
    if (this.#timers.length === 0 || this.#stopping.signal.aborted) return;
    this.#gathering ??= setTimeout(() => {
      this.#gathering = undefined;
      this.#lookAgain = true;
      this.#looking ??= this.#look();
    }, gatherMs).unref();
  }

  /** What it did since its start. */
  counts(): Readonly<QueueCounts> {
    return this.#counts;
  }

  /** Claims nothing more, cuts off what is under way (it is delivered again), and resolves when that is written. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    clearTimeout(this.#gathering);
    for (const timer of this.#timers) clearInterval(timer);
    await this.#looking;
    await Promise.all(this.#running.values());
  }

  async #look(): Promise<void> {
    try {
      while (this.#lookAgain && !this.#stopping.signal.aborted) {
        this.#lookAgain = false;
        const { webhooks } = this.#store;
        const room = this.#options.room - this.#running.size;
        if (room <= 0 || !(await webhooks.anyDue())) continue;
        const { perHost, leaseMs } = this.#options;
        const busyHosts = this.#roomOfHosts();
        for (const delivery of await webhooks.claim(this.node, { room, perHost, busyHosts, leaseMs })) {
          this.#begin(delivery);
        }
      }
    } catch (thrown) {
      this.#options.report(thrown); // the timer looks again
    } finally {
      this.#looking = null; // in the same turn as the last look, so that no wake goes unheard
    }
  }

  #roomOfHosts(): Record<string, number> {
    const room: Record<string, number> = {};
    for (const host of this.#failing) room[host] = 1;
    for (const [host, active] of this.#active) room[host] = (room[host] ?? this.#options.perHost) - active;
    return room;
  }

  #begin(delivery: ClaimedDelivery): void {
    const { deliveryId, host } = delivery;
    this.#active.set(host, (this.#active.get(host) ?? 0) + 1);
    const run = this.#run(delivery).finally(() => {
      this.#running.delete(deliveryId);
      const active = (this.#active.get(host) ?? 1) - 1;
      if (active > 0) this.#active.set(host, active);
      else this.#active.delete(host);
      this.wake();
    });
    this.#running.set(deliveryId, run);
  }

  async #run(delivery: ClaimedDelivery): Promise<void> {
    try {
      const answer = await this.#deliver(delivery);
      this.#remember(delivery.host, answer.delivered);
      const outcome = this.#outcome(delivery, answer);
      const end = await this.#store.webhooks.settle(this.node, delivery.deliveryId, outcome);
      if (end !== null) this.#counts[end]++;
    } catch (thrown) {
      this.#options.report(thrown); // the claim ends by itself, and whoever claims it next delivers it
    }
  }

  async #deliver(delivery: ClaimedDelivery): Promise<WebhookAnswer> {
    const { url, deliveryId, payload, sealedSecrets } = delivery;
    const { sender, box, report } = this.#options;
    try {
      const secrets = sealedSecrets.map((sealed) => box.open(sealed));
      const message = { url, id: deliveryId, body: JSON.stringify(payload), secrets };
      return await sender.send(message, this.#stopping.signal);
    } catch (thrown) {
      report(thrown);
      const error = 'an unexpected failure; see the log of the server';
      return { delivered: false, status: null, error, retryAfterMs: null };
    }
  }

  #outcome({ attempts }: ClaimedDelivery, answer: WebhookAnswer): DeliveryOutcome {
    if (answer.delivered) return { delivered: true };
    const { error, status, retryAfterMs } = answer;
    if (this.#stopping.signal.aborted && status === null) {
      return { delivered: false, error, dueAt: Date.now(), gone: false };
    }
    const wait = Math.max(this.#options.backoff(attempts), Math.min(retryAfterMs ?? 0, longestRetryAfterMs));
    return { delivered: false, error, dueAt: Math.round(Date.now() + wait), gone: status === 410 };
  }

  #remember(host: string, delivered: boolean): void {
    this.#failing.delete(host);
    if (delivered || this.#stopping.signal.aborted) return;
    this.#failing.add(host);
    const [first] = this.#failing;
    if (first !== undefined && this.#failing.size > rememberedHosts) this.#failing.delete(first);
  }
}
