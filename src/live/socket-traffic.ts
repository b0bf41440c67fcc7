import { writeJson } from '../core/schemas/json-text.ts';
import { GantryError } from '../errors.ts';
import type { Traffic } from '../limits/traffic.ts';
import {
  answerCall,
  attachmentsDue,
  bytesOfPacket,
  callIn,
  type EmittedCall,
  type EngineConnection,
  emittedIn,
  refusePacket,
  withhold,
} from '../runtime/internals/engine-io.ts';
import type { Refusal } from '../telemetry/refusals.ts';
import type { OutgoingQueue } from './outgoing-queue.ts';

/** Packets are charged to the address together, once they come to this: most calls are a few hundred bytes. */
const chargedBytes = 8 * 1024;
/** Reading a packet of this size takes noticeable time: it is read by a thread, and not at all for who is over a budget. */
const largePacketBytes = 64 * 1024;
const largeAnswerBytes = 64 * 1024;

/** What the connections of a node share for it. */
export interface TrafficServices {
  traffic: Traffic;
  /** How many bytes calls were answered with so far, on all sockets; what is answered counts at once. */
  answeredBytes(): number;
  /** Told of every refusal of something that is no call yet. */
  onRefused(refusal: Refusal): void;
}

/** Whose the bytes of a call are, as far as that is known. */
export interface CallOwner {
  wallet?: string | undefined;
  gameId?: string | undefined;
}

/**
 * What one connection sends and is answered, in bytes, charged as the bodies and answers of HTTP are: to the address as
 * they come, and to player and game with the calls. Events that are pushed cost the listener nothing.
 */
export class SocketTraffic {
  readonly #conn: EngineConnection;
  readonly #address: string;
  readonly #outgoing: OutgoingQueue;
  readonly #services: TrafficServices;
  #uncharged = 0;
  #calls: CallListeners | null = null;
  #attachmentsDue = 0;

  constructor(conn: EngineConnection, address: string, outgoing: OutgoingQueue, services: TrafficServices) {
    this.#conn = conn;
    this.#address = address;
    this.#outgoing = outgoing;
    this.#services = services;
  }

  /** Who handles calls from now on, except those with attachments, which Socket.IO reads; null: no calls are handled. */
  onCalls(listeners: CallListeners | null): void {
    this.#calls = listeners;
  }

  /** Charges a packet, and hands on the call in it; a large one of a connection that is over a budget is refused. */
  take(packet: { type?: string; data?: unknown }, owner: CallOwner, isAdmitted: boolean): void {
    const isAmongAttachments = this.#attachmentsDue > 0;
    this.#attachmentsDue = attachmentsDue(packet, this.#attachmentsDue);
    const bytes = bytesOfPacket(packet.data);
    this.#uncharged += bytes;
    if (this.#uncharged >= chargedBytes) {
      this.#services.traffic.spend({ address: this.#address }, this.#uncharged);
      this.#uncharged = 0;
    }
    const isLarge = bytes >= largePacketBytes;
    if (isLarge && this.#refusesOverBudget(packet, owner, isAdmitted)) return;
    const call = isAdmitted && !isAmongAttachments && this.#calls ? callIn(packet) : null;
    if (call && isLarge) {
      withhold(packet);
      this.#calls?.onLargeCall(call);
      return;
    }
    this.#services.traffic.spend(owner, bytes);
    const emitted = call && emittedIn(call);
    if (!emitted) return;
    withhold(packet);
    this.#calls?.onCall(call, emitted);
  }

  /** To be asked before anything is done for a handshake. @throws GantryError `rate_limited` */
  admit(): void {
    this.#services.traffic.admit({ address: this.#address });
  }

  /** Begins a call that was charged as it came. */
  begin({ id }: EmittedCall): CallTraffic {
    return this.#begin(0, (args) => this.#answer(id, args));
  }

  /** Begins a large one. */
  beginLarge({ id, args: { length } }: EmittedCall): CallTraffic {
    return this.#begin(length, (args) => this.#answer(id, args));
  }

  /** Begins a call that Socket.IO has read; `ack` is the callback it came with. */
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
    return {
      admit: () => {
        traffic.admit({ address: this.#address });
        traffic.hold(this.#address).admit();
      },
      admitCaller: (caller) => {
        Object.assign(owner, caller);
        traffic.admit(owner);
      },
      answer: (...args) => {
        const sent = reply(args);
        traffic.spend({ address: this.#address, ...owner }, sent);
        traffic.spend(owner, received);
        if (sent > largeAnswerBytes) this.#hold(sent);
      },
    };
  }

  /** A large state is not parsed to be written out as it was, as Socket.IO would. */
  #answer(id: number | null, args: readonly unknown[]): number {
    return id === null ? 0 : answerCall(this.#conn, id, writeJson(args));
  }

  #hold(bytes: number): void {
    const held = this.#services.traffic.hold(this.#address);
    held.take(bytes);
    this.#outgoing.drained().then(() => held.release());
  }

  #refusesOverBudget(
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
      this.#services.onRefused({ reason: refused.reason, at, address: this.#address, ...owner });
      if (!isAdmitted) refusePacket(this.#conn, packet, { message: refused.message, data: error });
      else {
        const call = callIn(packet);
        if (call) {
          withhold(packet);
          this.#answer(call.id, [error]);
        }
      }
      return true;
    }
  }
}

/** Who carries calls out; `emitted`: the method and its arguments. */
export interface CallListeners {
  onCall(call: EmittedCall, emitted: unknown[]): void;
  /** One that takes noticeable time to read. */
  onLargeCall(call: EmittedCall): void;
}

/** The bytes of one call. */
export interface CallTraffic {
  /** @throws GantryError `rate_limited`, `server_busy` */
  admit(): void;
  /** Once it is known who calls. @throws GantryError `rate_limited` */
  admitCaller(caller: CallOwner): void;
  /** Sends the answer, an error or null and a result, where one is waited for; charges what came and what goes. */
  answer(...args: readonly unknown[]): void;
}
