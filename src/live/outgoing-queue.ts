import { setTimeout } from 'node:timers/promises';
import {
  bytesBuffered,
  coalesceWrites,
  type EngineConnection,
  type OutgoingPacket,
  onOutgoing,
  packetsHeldBack,
} from '../runtime/internals/engine-io.ts';

/**
 * A consumer with more than this queued for it, and less of it taken than came since the last check, is slow. A
 * large answer on its way to a client that reads is let through.
 */
export const maxQueuedBytes = 1024 * 1024;
/** Beyond this a consumer is slow even while it reads. */
const hardLimitBytes = 16 * 1024 * 1024;
/** A replay goes on while no more than this is queued. */
const lowWaterMark = 64 * 1024;
/** How often that is looked at; more rarely, once nothing was taken for a while. */
const drainPollMs = 10;
const idleDrainPollMs = 160;
const idleAfterMs = 1_000;
/** A consumer with more than that queued for it which took nothing at all between so many checks is slow as well. */
const stalledChecks = 100;

/** What is sent over one connection and has not left yet. It is written once a turn of the event loop. */
export class OutgoingQueue {
  readonly #conn: EngineConnection;
  /** Sent in this turn and not written yet. */
  readonly #pending: OutgoingPacket[] = [];
  /** At the last check; 0 while it was below the limit. */
  #lastQueuedBytes = 0;
  /** Bytes queued at the last check, and how many checks ago they last became fewer. */
  #queuedBefore = 0;
  #checksWithoutProgress = 0;

  /** `onQueued` is called whenever something is queued: from then on the queue is to be checked, until it is empty. */
  constructor(conn: EngineConnection, onQueued: () => void) {
    this.#conn = conn;
    coalesceWrites(conn, this.#pending);
    onOutgoing(conn, onQueued);
  }

  /** Whether nothing was queued at the last check. */
  get wasEmpty(): boolean {
    return this.#queuedBefore === 0;
  }

  /**
   * Call this ten times a second while anything is queued: the bytes queued if the client is a slow consumer, to be
   * disconnected before they fill the memory (engine.io#420); it catches up by its cursors when it is back. Else null.
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

  /** Resolves when the client has taken most of what was sent to it, or is gone. */
  async drained(): Promise<void> {
    // engine.io tells when it has handed packets over, not when they have left; so the queue is polled.
    let before = Number.POSITIVE_INFINITY;
    let takenAt = 0;
    for (;;) {
      const queued = this.#queuedBytes();
      if (this.#conn.readyState !== 'open' || queued <= lowWaterMark) return;
      const now = performance.now();
      if (queued < before) takenAt = now;
      before = queued;
      await setTimeout(now - takenAt < idleAfterMs ? drainPollMs : idleDrainPollMs);
    }
  }

  /** A replay waits for a client to take what was sent; one that answers pings and takes nothing would wait for ever. */
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
    const heldBack = packetsHeldBack(this.#conn);
    return heldBack.length > 0 ? [...this.#pending, ...heldBack] : this.#pending;
  }
}
