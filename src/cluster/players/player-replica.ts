import { isDeepStrictEqual } from 'node:util';
import {
  latestChoice,
  latestGame,
  onlineSince,
  type PlayerPart,
  type StatusChoice,
  type VisiblePlayer,
  visiblePlayer,
} from './player-part.ts';
import { RememberedChoices } from './remembered-choices.ts';
import type { PartChanges, ReplicaBus, ReplicaMessage } from './replica-bus.ts';

/** How often `tick` must be called. */
export const tickMs = 250;
const beatMs = 2_000;
/** A node that has sent nothing for this long is dead. */
const leaseMs = 10_000;
/** A node that has sent nothing for this long has ended if the bus says that its connection is closed. */
const closedMs = 3_000;
/** How long the players of a stopped node keep their presence, to connect elsewhere. */
const goodbyeMs = 5_000;
/** This process was paused if two ticks are further apart. */
const pausedMs = 5_000;
/** How often a node asks another for its parts at most, and answers. */
const askMs = 1_000;
const answerMs = 200;
/** Messages that were sent while other nodes subscribed again may be lost: parts are exchanged once more after this. */
const secondExchangeMs = 500;
/**
 * A node that is still silent this long after the bus is back is dropped if its lease has expired meanwhile: three times
 * what the last node needs to connect again.
 */
const returnMs = 750;
/** Parts per message. */
const chunkSize = 500;

export interface PlayerReplicaOptions {
  /** Identifies this node; new at each start. */
  nodeId: string;
  /** Null: this is the only node. */
  bus: ReplicaBus | null;
  /** Milliseconds of a clock that is never set. */
  clock?: () => number;
  /** Called after what others see of a player has changed. */
  onChange(wallet: string): void;
  /**
   * Called after anything of a player may have changed, with the game that the player has open, on any node, and
   * whether it is on this node.
   */
  onGame?(wallet: string, gameId: string | null, isOwn: boolean): void;
}

interface IncomingParts {
  readonly parts: Map<string, PlayerPart>;
  /** The version they are of, and the one reached by changes received meanwhile. */
  readonly version: number;
  reached: number;
  /** How many are still missing. */
  missing: number;
  /** The places of the messages received. */
  readonly places: Set<number>;
}

interface OtherNode {
  parts: Map<string, PlayerPart>;
  /** The last of its changes that is known; -1: its parts are not known. */
  version: number;
  receivedAt: number;
  /** Its connection to the bus was closed, and it has sent nothing since. */
  isClosed: boolean;
  /** When it is dropped because it said goodbye; infinite until then. */
  leavesAt: number;
  askedAt: number;
  /** Its parts so far, while they arrive in several messages. */
  incoming: IncomingParts | null;
}

/**
 * The players connected to any node: each node keeps a copy of what all nodes know of theirs, in memory, so that looking
 * at a player costs nothing. A node whose changes were missed is asked for all of its parts. A node that is silent for
 * `leaseMs` is dropped, or for `closedMs` if its process has ended; a stalled one may come back before the lease expires.
 * While the bus is down, what is known stays, and everything is exchanged when it is back, with those who are still there.
 */
export class PlayerReplica {
  readonly #id: string;
  readonly #bus: ReplicaBus | null;
  readonly #clock: () => number;
  readonly #onChange: PlayerReplicaOptions['onChange'];
  readonly #onGame: PlayerReplicaOptions['onGame'];
  readonly #own = new Map<string, PlayerPart>();
  readonly #nodes = new Map<string, OtherNode>();
  readonly #remembered = new RememberedChoices();
  #version = 0;
  #wasUp = false;
  #lastTickAt: number;
  #lastBeatAt = Number.NEGATIVE_INFINITY;
  #answeredAt = Number.NEGATIVE_INFINITY;
  #owesAnswer = false;
  #exchangeAt = Number.POSITIVE_INFINITY;
  /** Until then silence says nothing about other nodes. */
  #graceUntil = Number.NEGATIVE_INFINITY;
  #hasLeft = false;

  constructor({ nodeId, bus, clock = () => performance.now(), onChange, onGame }: PlayerReplicaOptions) {
    this.#id = nodeId;
    this.#bus = bus;
    this.#clock = clock;
    this.#onChange = onChange;
    this.#onGame = onGame;
    this.#lastTickAt = clock();
  }

  /** Sets what this node knows of players; null: they are no longer connected to it. */
  set(changes: PartChanges): void {
    const real = changes.filter(([wallet, part]) => !isDeepStrictEqual(this.#own.get(wallet) ?? null, part));
    if (real.length === 0 || this.#hasLeft) return;
    this.#change(
      real.map(([wallet]) => wallet),
      () => this.#setOwn(real),
    );
  }

  /** What others see of a player; null: offline. */
  visible(wallet: string): VisiblePlayer | null {
    return visiblePlayer(this.#partsOf(wallet));
  }

  /** The player's latest status, also within ten minutes of the last connection. */
  choiceOf(wallet: string): StatusChoice {
    return latestChoice([this.#remembered.of(wallet), ...this.#partsOf(wallet)]);
  }

  /** Since when the player has been connected, to any node; null: not connected. */
  onlineSince(wallet: string): number | null {
    const parts = this.#partsOf(wallet);
    return parts.length === 0 ? null : onlineSince(parts);
  }

  /** Whether the player is connected to another node. */
  isElsewhere(wallet: string): boolean {
    for (const { parts } of this.#nodes.values()) if (parts.has(wallet)) return true;
    return false;
  }

  /** When the player's latest game was opened, so that one opened now can be ordered after it. */
  lastGameAt(wallet: string): number {
    return Math.max(0, ...this.#partsOf(wallet).map(({ game }) => game?.at ?? 0));
  }

  /** Accepts a message of the bus. */
  receive(message: ReplicaMessage): void {
    if (message.node === this.#id) return;
    if (message.type === 'ask') {
      if (message.of === null || message.of === this.#id) this.#answer();
      return;
    }
    const node = this.#received(message.node);
    if (message.type === 'goodbye') {
      node.leavesAt = this.#clock() + goodbyeMs;
      return;
    }
    if (message.type === 'choices') this.#acceptChoices(message.choices);
    if (message.type === 'changes') this.#acceptChanges(node, message);
    else if (message.type === 'all') this.#acceptAll(node, message);
    else if (message.version !== node.version) this.#ask(message.node, node);
  }

  /** Sends beats, and drops nodes whose lease has expired. Call this every `tickMs`. */
  tick(): void {
    const now = this.#clock();
    const wasPaused = now - this.#lastTickAt > pausedMs;
    this.#lastTickAt = now;
    this.#remembered.forget(now);
    if (!this.#bus || this.#hasLeft) return;
    const isUp = this.#bus.isUp();
    if (!isUp || !this.#wasUp || wasPaused) this.#graceUntil = now + returnMs;
    if (isUp && (!this.#wasUp || wasPaused)) {
      this.#exchange();
      this.#exchangeAt = now + secondExchangeMs;
    } else if (now >= this.#exchangeAt) {
      this.#exchange();
      this.#exchangeAt = Number.POSITIVE_INFINITY;
    }
    this.#wasUp = isUp;
    if (this.#owesAnswer) this.#answer();
    if (now - this.#lastBeatAt >= beatMs) {
      this.#lastBeatAt = now;
      this.#send({ type: 'beat', node: this.#id, version: this.#version });
    }
    const silent: string[] = [];
    for (const [id, node] of [...this.#nodes]) {
      const isExpired = now - node.receivedAt >= leaseMs && now >= this.#graceUntil;
      const isSilent = now - Math.max(node.receivedAt, this.#graceUntil) >= closedMs;
      if (now >= node.leavesAt || isExpired || (isSilent && node.isClosed)) this.#drop(id, node);
      else if (isSilent && node.leavesAt === Number.POSITIVE_INFINITY) silent.push(id);
    }
    if (silent.length > 0) this.#checkConnections(this.#bus, silent);
  }

  /** This node stops: others keep its players for a moment. Nothing is sent after it. */
  goodbye(): void {
    this.#send({ type: 'goodbye', node: this.#id });
    this.#hasLeft = true;
  }

  /** The number of nodes that are known, with this one. */
  get nodeCount(): number {
    return this.#nodes.size + 1;
  }

  /** The number of players connected to this node. */
  get ownCount(): number {
    return this.#own.size;
  }

  /** Takes note of silent nodes that have ended, for the next tick. */
  async #checkConnections(bus: ReplicaBus, silent: readonly string[]): Promise<void> {
    for (const id of await bus.closedAmong(silent)) {
      const node = this.#nodes.get(id);
      if (node) node.isClosed = true;
    }
  }

  #acceptChanges(
    node: OtherNode,
    { node: id, version, changes }: Extract<ReplicaMessage, { type: 'changes' }>,
  ): void {
    const { incoming } = node;
    if (incoming && version === incoming.reached + 1) {
      incoming.reached = version;
      for (const [wallet, part] of changes) {
        if (part) incoming.parts.set(wallet, part);
        else incoming.parts.delete(wallet);
      }
    }
    if (version <= node.version) return;
    // After a gap, it is applied too: it is newer than what is known. The version stays behind until all is known.
    if (version === node.version + 1) node.version = version;
    else this.#ask(id, node);
    this.#change(
      changes.map(([wallet]) => wallet),
      () => this.#apply(node.parts, changes),
    );
  }

  #acceptAll(node: OtherNode, { version, total, at, parts }: Extract<ReplicaMessage, { type: 'all' }>): void {
    if (version <= node.version) return;
    if (node.incoming?.version !== version) {
      node.incoming = { parts: new Map(), version, reached: version, missing: total, places: new Set() };
    }
    const { incoming } = node;
    if (incoming.places.has(at)) return;
    incoming.places.add(at);
    for (const [wallet, part] of parts) incoming.parts.set(wallet, part);
    incoming.missing -= parts.length;
    if (incoming.missing > 0) return;
    node.incoming = null;
    const wallets = new Set([...node.parts.keys(), ...incoming.parts.keys()]);
    this.#change([...wallets], () => {
      this.#apply(
        node.parts,
        [...wallets].map((wallet) => [wallet, incoming.parts.get(wallet) ?? null] as const),
      );
      node.version = Math.max(node.version, incoming.reached);
    });
  }

  /** A status chosen last on a node that the player has left since holds, although no part has it. */
  #acceptChoices(choices: Extract<ReplicaMessage, { type: 'choices' }>['choices']): void {
    const wallets = choices.map(([wallet]) => wallet);
    this.#change(wallets, () => {
      for (const [wallet, choice] of choices) this.#remember(wallet, choice, false);
    });
  }

  /** Makes a change, and reports the players of whom others then see something else. */
  #change(wallets: readonly string[], change: () => void): void {
    const before = wallets.map((wallet) => this.visible(wallet));
    change();
    this.#adoptChoices(wallets);
    for (const [at, wallet] of wallets.entries()) {
      if (!isDeepStrictEqual(before[at], this.visible(wallet))) this.#onChange(wallet);
      if (!this.#onGame) continue;
      const { game } = latestGame(this.#partsOf(wallet));
      const own = this.#own.get(wallet)?.game;
      this.#onGame(wallet, game?.id ?? null, own?.id === game?.id && own?.at === game?.at);
    }
  }

  #setOwn(changes: PartChanges): void {
    this.#apply(this.#own, changes);
    for (let at = 0; at < changes.length; at += chunkSize) {
      this.#version++;
      const chunk = changes.slice(at, at + chunkSize);
      this.#send({ type: 'changes', node: this.#id, version: this.#version, changes: chunk });
    }
  }

  /** A status chosen on another node holds on this one too, also after the player has left that node. */
  #adoptChoices(wallets: readonly string[]): void {
    const adopted: [string, PlayerPart][] = [];
    for (const wallet of wallets) {
      const part = this.#own.get(wallet);
      if (!part) continue;
      const { status, text, statusAt } = this.choiceOf(wallet);
      if (statusAt > part.statusAt) adopted.push([wallet, { ...part, status, text, statusAt }]);
    }
    this.#setOwn(adopted);
  }

  #apply(parts: Map<string, PlayerPart>, changes: PartChanges): void {
    for (const [wallet, part] of changes) {
      const before = parts.get(wallet);
      if (part) parts.set(wallet, part);
      else if (before) {
        parts.delete(wallet);
        this.#remember(wallet, before, parts === this.#own);
      }
    }
  }

  #remember(wallet: string, choice: StatusChoice, isOwn: boolean): void {
    if (choice.statusAt === 0 || this.choiceOf(wallet).statusAt > choice.statusAt) return;
    this.#remembered.add(wallet, choice, this.#clock(), isOwn);
  }

  #partsOf(wallet: string): PlayerPart[] {
    const parts: PlayerPart[] = [];
    const own = this.#own.get(wallet);
    if (own) parts.push(own);
    for (const node of this.#nodes.values()) {
      const part = node.parts.get(wallet);
      if (part) parts.push(part);
    }
    return parts;
  }

  #received(id: string): OtherNode {
    const known = this.#nodes.get(id);
    const node = known ?? {
      parts: new Map(),
      version: -1,
      receivedAt: 0,
      isClosed: false,
      leavesAt: Number.POSITIVE_INFINITY,
      askedAt: Number.NEGATIVE_INFINITY,
      incoming: null,
    };
    node.receivedAt = this.#clock();
    node.isClosed = false;
    if (!known) this.#nodes.set(id, node);
    return node;
  }

  #drop(id: string, node: OtherNode): void {
    const changes = [...node.parts.keys()].map((wallet) => [wallet, null] as const);
    this.#change([...node.parts.keys()], () => {
      this.#apply(node.parts, changes);
      this.#nodes.delete(id);
    });
  }

  #exchange(): void {
    this.#answeredAt = Number.NEGATIVE_INFINITY;
    this.#answer();
    this.#send({ type: 'ask', node: this.#id, of: null });
  }

  #ask(id: string, node: OtherNode): void {
    const now = this.#clock();
    if (now - node.askedAt < askMs) return;
    node.askedAt = now;
    this.#send({ type: 'ask', node: this.#id, of: id });
  }

  /** Sends all parts to every node: several may have asked. */
  #answer(): void {
    const now = this.#clock();
    this.#owesAnswer = now - this.#answeredAt < answerMs;
    if (this.#owesAnswer) return;
    this.#answeredAt = now;
    const parts = [...this.#own];
    const total = parts.length;
    for (let at = 0; at === 0 || at < total; at += chunkSize) {
      const chunk = parts.slice(at, at + chunkSize);
      this.#send({ type: 'all', node: this.#id, version: this.#version, total, at, parts: chunk });
    }
    // The changes that said so may have been lost, and the players are in no part any more.
    const left = this.#remembered.own();
    for (let at = 0; at < left.length; at += chunkSize) {
      const choices = left.slice(at, at + chunkSize);
      this.#send({ type: 'choices', node: this.#id, version: this.#version, choices });
    }
  }

  #send(message: ReplicaMessage): void {
    if (!this.#hasLeft) this.#bus?.send(message);
  }
}
