import { clientError, GantryError } from './client-error.ts';
import { jsonOf } from './json.ts';
import { repeatableWithKey } from './operation-names.ts';
import type { QueuedCall } from './store.ts';

/** How long a call may be retried: the server keeps idempotency keys for a day, less an hour for clock skew. */
const maxRetryAgeMs = 23 * 60 * 60 * 1000;
/** The delay before a retry when the server specifies none. */
const retryMs = 1_000;

/** The outcome of a queued call. */
export type QueuedOutcome = { answer: unknown } | { error: GantryError };

export interface QueueDependencies {
  /** Sends a call once. @throws GantryError */
  call(operation: string, data: object): Promise<unknown>;
  /** Resolves when there is a connection. @throws GantryError when there will be none */
  connected(): Promise<void>;
  pause(ms: number): Promise<void>;
  /** Called when the queue has changed. */
  save(): void;
  settled(call: QueuedCall, outcome: QueuedOutcome): void;
}

interface Waiting {
  resolve(answer: unknown): void;
  reject(error: unknown): void;
}

/** A FIFO queue of calls, each retried until the server answers, across lost connections and restarts of the game. */
export class CallQueue {
  readonly #dependencies: QueueDependencies;
  readonly #calls: QueuedCall[];
  /** The keys of all calls that have ever been in this queue. */
  readonly #keys: Set<string>;
  readonly #waiting = new Map<QueuedCall, Waiting>();
  #isSending = false;

  constructor(dependencies: QueueDependencies, restored: readonly QueuedCall[] = []) {
    this.#dependencies = dependencies;
    this.#calls = [...restored];
    this.#keys = new Set(restored.map(({ idempotencyKey }) => idempotencyKey));
  }

  /** The calls that have not been answered. */
  get calls(): readonly QueuedCall[] {
    return this.#calls;
  }

  /** The calls to store, with those that other pages of the game have stored meanwhile, each at its time. */
  toSave(stored: readonly QueuedCall[]): QueuedCall[] {
    const calls = this.#calls.map((call) => ({ ...call }));
    for (const other of stored.filter(({ idempotencyKey }) => !this.#keys.has(idempotencyKey))) {
      const before = calls.findLastIndex(({ queuedAt }) => queuedAt <= other.queuedAt);
      calls.splice(before + 1, 0, other);
    }
    return calls;
  }

  /**
   * Resolves with the answer. The input is copied: the game may change its objects before they are sent.
   * @throws GantryError when the server refuses the call permanently, or the input has no form in JSON
   */
  add(operation: string, input: object): Promise<unknown> {
    let copy: Record<string, unknown>;
    try {
      copy = JSON.parse(jsonOf(input));
    } catch (error) {
      return Promise.reject(error); // also told when nobody awaits it: nothing was queued
    }
    const call = {
      operation,
      input: copy,
      idempotencyKey: newKey(),
      queuedAt: Date.now(),
    };
    this.#calls.push(call);
    this.#keys.add(call.idempotencyKey);
    this.#dependencies.save();
    const answered = new Promise((resolve, reject) => this.#waiting.set(call, { resolve, reject }));
    answered.catch(() => undefined); // callers need not await it
    this.send();
    return answered;
  }

  /** Starts sending the queued calls. */
  send(): void {
    if (this.#isSending) return;
    this.#isSending = true;
    void this.#sendAll();
  }

  async #sendAll(): Promise<void> {
    for (let call = this.#calls[0]; call !== undefined; call = this.#calls[0]) {
      const outcome = await this.#sendUntilAnswered(call);
      if ('end' in outcome) {
        // They stay in the queue, and in the store, for the player's next client.
        for (const { reject } of this.#waiting.values()) reject(outcome.end);
        this.#waiting.clear();
        break;
      }
      this.#calls.shift();
      this.#dependencies.save();
      const waiting = this.#waiting.get(call);
      this.#waiting.delete(call);
      if ('error' in outcome) waiting?.reject(outcome.error);
      else waiting?.resolve(outcome.answer);
      this.#dependencies.settled(call, outcome);
    }
    this.#isSending = false; // in the same turn, so that the next `add` starts sending again
  }

  /** `end`: why the client will not connect again. */
  async #sendUntilAnswered(call: QueuedCall): Promise<QueuedOutcome | { end: unknown }> {
    const { operation, input, idempotencyKey } = call;
    for (;;) {
      try {
        await this.#dependencies.connected();
      } catch (end) {
        return { end };
      }
      if (call.isSent && Date.now() - (call.sentAt ?? call.queuedAt) > maxRetryAgeMs) {
        const message = `${operation} was sent too long ago to be retried; it may have been executed`;
        return { error: clientError('queue_expired', message) };
      }
      const { isSent } = call;
      if (!isSent) call.sentAt = Date.now();
      call.isSent = true;
      this.#dependencies.save();
      try {
        const key = repeatableWithKey.includes(operation) ? { idempotencyKey } : {};
        return { answer: await this.#dependencies.call(operation, { ...input, ...key }) };
      } catch (error) {
        if (!(error instanceof GantryError)) return { end: error };
        const { code, reason } = error;
        if (error.update) return { end: error }; // the next version of the game sends it
        // The session has ended: there is either another one, or no connection any more.
        const isEnd = reason === 'session_ended' || reason === 'token_expired';
        if (code !== 0 && code !== 429 && code !== 503 && !isEnd) return { error };
        if (code === 429 || code === 503) this.#notExecuted(call, isSent);
        await this.#dependencies.pause((error.retryAfterSeconds ?? retryMs / 1000) * 1000);
      }
    }
  }

  /** The server has refused the latest attempt; `isSent`: whether an earlier one may have been executed. */
  #notExecuted(call: QueuedCall, isSent: true | undefined): void {
    if (isSent) return;
    delete call.isSent;
    delete call.sentAt;
    this.#dependencies.save();
  }
}

/** 128 random bits. `crypto.randomUUID` is not available on pages without TLS. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
