import { setTimeout } from 'node:timers/promises';
import {
  bufferedPackets,
  bytesBuffered,
  type EngineConnection,
  isPolled,
  type OutgoingPacket,
} from '../../runtime/internals/engine-io.ts';
import { coalesceWrites, type WriteQueue } from '../../runtime/internals/engine-output.ts';

/**
 * A consumer is slow when more than this is queued and the queue has not shrunk since the last check. A large answer to
 * a client that keeps reading is allowed.
 */
export const maxQueuedBytes = 1024 * 1024;
/** Beyond this a consumer is slow even while it reads. */
const hardLimitBytes = 16 * 1024 * 1024;
/** A replay continues once no more than this is queued. */
const lowWaterMark = 64 * 1024;
/** How often the queue is polled; less often when the client has read nothing for a while. */
const drainPollMs = 10;
const idleDrainPollMs = 160;
const idleAfterMs = 1_000;
/** A consumer whose queue stays above the low-water mark and does not shrink for this many checks is slow as well. */
const stalledChecks = 100;

/** The packets queued for one connection. They are written once per turn of the event loop. */
export class OutgoingQueue implements WriteQueue {
  readonly #conn: EngineConnection;
  readonly #owner: { queued(): void };
  readonly pending: OutgoingPacket[] = [];
  sends = 0;
  /** Bytes queued at the last check; 0 when they were below the limit. */
  #lastQueuedBytes = 0;
  /** Bytes queued at the last check, and the number of checks since they last decreased. */
  #queuedBefore = 0;
  #checksWithoutProgress = 0;

  /** `queued` is called when the queue must be checked, from then on until it `isIdle`. */
  constructor(conn: EngineConnection, owner: { queued(): void }) {
    this.#conn = conn;
    this.#owner = owner;
    coalesceWrites(conn, this);
    if (isPolled(conn)) owner.queued();
  }

  onQueued(): void {
    this.#owner.queued();
  }

  /** Nothing was queued at the last check, and `queued` will be called when something is. */
  get isIdle(): boolean {
    return this.#queuedBefore === 0 && !isPolled(this.#conn);
  }

  /**
   * Call this ten times a second unless the queue `isIdle`. Returns the bytes queued if the client is a slow consumer,
   * else null. A slow consumer is disconnected before its queue exhausts memory (engine.io#420); it catches up by its
   * cursors when it reconnects.
   */
  slowConsumerBytes(): number | null {
    const queued = this.#queuedBytes();
    const before = this.#lastQueuedBytes;
    this.#lastQueuedBytes = queued <= maxQueuedBytes ? 0 : queued;
    if (this.#isStalled(queued)) return queued;
    if (queued <= maxQueuedBytes) return null;
    const isReading = before === 0 || queued < before;
    return isReading && queued <= hardLimitBytes ? null : queued;
  }

  /** Whether more than the low-water mark is queued. */
  isBacklogged(): boolean {
    return this.#queuedBytes() > lowWaterMark;
  }

  /** Resolves when the queue is down to the low-water mark or the connection is closed. */
  async drained(): Promise<void> {
    // engine.io's `drain` event fires when packets are passed on, not when they are sent, so the queue is polled.
    let before = Number.POSITIVE_INFINITY;
    let progressAt = 0;
    for (;;) {
      const queued = this.#queuedBytes();
      if (this.#conn.readyState !== 'open' || queued <= lowWaterMark) return;
      const now = performance.now();
      if (queued < before) progressAt = now;
      before = queued;
      await setTimeout(now - progressAt < idleAfterMs ? drainPollMs : idleDrainPollMs);
    }
  }

  /** Without this check, a replay would wait forever for a client that answers pings but reads nothing. */
  #isStalled(queued: number): boolean {
    if (queued <= lowWaterMark || queued < this.#queuedBefore) this.#checksWithoutProgress = 0;
    else this.#checksWithoutProgress++;
    this.#queuedBefore = queued;
    return this.#checksWithoutProgress >= stalledChecks;
  }

  #queuedBytes(): number {
    let bytes = bytesBuffered(this.#conn);
    for (const { data } of this.#packets()) {
      if (typeof data === 'string') bytes += Buffer.byteLength(data);
      else if (Buffer.isBuffer(data)) bytes += data.byteLength;
    }
    return bytes;
  }

  #packets(): readonly OutgoingPacket[] {
    const heldBack = bufferedPackets(this.#conn);
    return heldBack.length > 0 ? [...this.pending, ...heldBack] : this.pending;
  }
}
