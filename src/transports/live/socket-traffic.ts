import type { Holding, Traffic } from '../../calls/limits/traffic.ts';
import { GantryError } from '../../core/errors.ts';
import { writeJson } from '../../core/schemas/json-text.ts';
import {
  bytesOfPacket,
  callIn,
  type EmittedCall,
  type EngineConnection,
  isAck,
  parseEventArguments,
  pendingAttachments,
  refusePacket,
  withhold,
} from '../../runtime/internals/engine-io.ts';
import { sendAck } from '../../runtime/internals/engine-output.ts';
import type { Refusal } from '../../telemetry/refusals.ts';
import type { OutgoingQueue } from './outgoing-queue.ts';

/** Packets are charged to the address in batches of this size: most calls are a few hundred bytes. */
const chargedBytes = 8 * 1024;
/**
 * A packet of this size takes noticeable time to parse: it is parsed in a worker thread, and not at all when over
 * budget.
 */
const largePacketBytes = 64 * 1024;
const largeAnswerBytes = 64 * 1024;
/** `0x` and 40 hexadecimal digits. */
const addressLength = 42;

/** What all connections of a node share to account for traffic. */
export interface TrafficServices {
  traffic: Traffic;
  /** The maximum size of the attachments to one message, in bytes. */
  maxAttachmentBytes: number;
  /** The total bytes of answers on all sockets, updated synchronously by each answer. */
  answeredBytes(): number;
  /** Called for every refusal before a call begins. */
  onRefused(refusal: Refusal): void;
}

/** Whom the bytes of a call are charged to, as far as is known. */
export interface CallOwner {
  /** As of `budgetOf`: it ends with the player's address. */
  wallet?: string | undefined;
  gameId?: string | undefined;
}

/**
 * Charges what one connection sends and receives, in bytes, like HTTP bodies and answers: to the address on arrival,
 * and to player and game with the calls. Pushed events are not charged.
 */
export class SocketTraffic {
  readonly #conn: EngineConnection;
  readonly #address: string;
  readonly #outgoing: OutgoingQueue;
  readonly #services: TrafficServices;
  #uncharged = 0;
  #calls: CallListeners | null = null;
  #pendingAttachments = 0;
  /** The size of the attachments that Socket.IO has buffered, until the last one of a message arrives. */
  #attachedBytes = 0;
  /** Null as long as the client sends none: most never do. */
  #attachments: Holding | null = null;

  constructor(conn: EngineConnection, address: string, outgoing: OutgoingQueue, services: TrafficServices) {
    this.#conn = conn;
    this.#address = address;
    this.#outgoing = outgoing;
    this.#services = services;
  }

  /** Sets the handlers of calls, except those with attachments, which Socket.IO parses; null: calls are not handled. */
  onCalls(listeners: CallListeners | null): void {
    this.#calls = listeners;
  }

  /**
   * Charges a packet and dispatches its call; a large one is refused when the connection is over budget. Returns false
   * when the connection must be closed because more attachments are in memory than may be.
   */
  receive(packet: { type?: string; data?: unknown }, owner: CallOwner, isAdmitted: boolean): boolean {
    const bytes = bytesOfPacket(packet.data);
    this.#uncharged += bytes;
    if (this.#uncharged >= chargedBytes) {
      this.#services.traffic.spend({ address: this.#address }, this.#uncharged);
      this.#uncharged = 0;
    }
    if (packet.type !== 'message') return true; // a ping or the like, which Socket.IO does not read
    const isAmongAttachments = this.#pendingAttachments > 0;
    this.#pendingAttachments = pendingAttachments(packet, this.#pendingAttachments);
    if (isAmongAttachments && !this.#holdAttachment(bytes)) return false;
    if (isAdmitted && !isAmongAttachments && isAck(packet)) {
      withhold(packet); // no event that is sent here asks for one
      this.#services.traffic.spend(owner, bytes);
      return true;
    }
    const isLarge = bytes >= largePacketBytes;
    if (isLarge && this.#refuseOverBudget(packet, owner, isAdmitted)) return true;
    const call = isAdmitted && !isAmongAttachments && this.#calls ? callIn(packet) : null;
    if (call && isLarge) {
      withhold(packet);
      this.#calls?.onLargeCall(call);
      return true;
    }
    this.#services.traffic.spend(owner, bytes);
    const emitted = call && parseEventArguments(call);
    if (!emitted) return true;
    withhold(packet);
    this.#calls?.onCall(call, emitted);
    return true;
  }

  /** Call this when the connection is closed. */
  close(): void {
    this.#attachments?.release();
  }

  #holdAttachment(bytes: number): boolean {
    if (this.#pendingAttachments === 0) {
      this.#attachedBytes = 0;
      this.#attachments?.release();
      return true;
    }
    this.#attachedBytes += bytes;
    if (this.#attachedBytes > this.#services.maxAttachmentBytes) return false;
    this.#attachments ??= this.#services.traffic.hold(this.#address);
    try {
      this.#attachments.resize(this.#attachedBytes);
      return true;
    } catch {
      return false;
    }
  }

  /** Call this before a handshake is processed. @throws GantryError `rate_limited` */
  admit(): void {
    this.#services.traffic.admit({ address: this.#address });
  }

  /** Begins a call whose packet was already charged. */
  begin({ id }: EmittedCall): CallTraffic {
    return this.#begin(0, (args) => this.#answer(id, args));
  }

  /** Begins a large call, which is charged when it is answered. */
  beginLarge({ id, args: { length } }: EmittedCall): CallTraffic {
    return this.#begin(length, (args) => this.#answer(id, args));
  }

  /** Begins a call that Socket.IO has parsed; `ack` is its callback. */
  beginRead(ack: ((...args: unknown[]) => void) | undefined): CallTraffic {
    return this.#begin(0, (args) => {
      const before = this.#services.answeredBytes();
      ack?.(...args);
      return this.#services.answeredBytes() - before;
    });
  }

  #begin(received: number, reply: (args: readonly unknown[]) => number): CallTraffic {
    const owner: CallOwner = {};
    const { traffic } = this.#services;
    const memory = traffic.hold(this.#address);
    return {
      admit: () => {
        traffic.admit({ address: this.#address });
        memory.admit(received);
        memory.take(received);
      },
      admitCaller: (caller) => {
        Object.assign(owner, caller);
        traffic.admit(owner);
      },
      answer: (...args) => {
        memory.release();
        const sent = reply(args);
        traffic.spend({ address: this.#address, ...owner }, sent);
        traffic.spend(owner, received);
        if (sent > largeAnswerBytes) this.#hold(sent);
      },
    };
  }

  /** Unlike Socket.IO, writes large states without parsing them first. */
  #answer(id: number | null, args: readonly unknown[]): number {
    return id === null ? 0 : sendAck(this.#conn, id, writeJson(args));
  }

  #hold(bytes: number): void {
    const holding = this.#services.traffic.hold(this.#address);
    holding.take(bytes);
    this.#outgoing.drained().then(() => holding.release());
  }

  #refuseOverBudget(
    packet: { type?: string; data?: unknown },
    owner: CallOwner,
    isAdmitted: boolean,
  ): boolean {
    try {
      this.#services.traffic.admit({ address: this.#address, ...owner });
      return false;
    } catch (refused) {
      if (!(refused instanceof GantryError)) throw refused;
      const error = refused.toJSON();
      const at = isAdmitted ? 'call' : 'handshake';
      const { gameId, wallet } = owner;
      const player = wallet?.slice(-addressLength);
      this.#services.onRefused({
        reason: refused.reason,
        at,
        address: this.#address,
        gameId,
        wallet: player,
      });
      if (!isAdmitted) refusePacket(this.#conn, packet, { message: refused.message, data: error });
      else {
        const call = callIn(packet);
        withhold(packet);
        if (call) this.#answer(call.id, [error]);
      }
      return true;
    }
  }
}

/** The handlers of calls. */
export interface CallListeners {
  /** `emitted` is the method and its arguments. */
  onCall(call: EmittedCall, emitted: unknown[]): void;
  /** For calls that take noticeable time to parse. */
  onLargeCall(call: EmittedCall): void;
}

/** Accounts for the bytes of one call. */
export interface CallTraffic {
  /** @throws GantryError `rate_limited`, `server_busy` */
  admit(): void;
  /** Call this once the caller is known. @throws GantryError `rate_limited` */
  admitCaller(caller: CallOwner): void;
  /** Sends the answer, `(error)` or `(null, result)`, if the client expects one; charges the call and the answer. */
  answer(...args: readonly unknown[]): void;
}
