import { setTimeout } from 'node:timers/promises';
import { GantryError } from '../../core/errors.ts';
import {
  latestGame,
  type NewStatus,
  type OpenGame,
  type PlayerPart,
  type RichPresence,
  type StatusChoice,
} from './player-part.ts';
import type { PlayerReplica } from './player-replica.ts';

/** Changes of a player within this time are one: the last state is what others get. */
const gatherMs = 100;
/** After an error, such as an unavailable database. */
const retryMs = 1_000;
/** When the bus between nodes is back, everything is sent again within this time, twice. */
const exchangedMs = 1_000;
/** How long a chosen status waits for the bus. Then it is on this node only, which a crash within the outage forgets. */
const deliveryMs = 5_000;

/** What a player's privacy settings show to friends. */
export interface Shown {
  presence: boolean;
  game: boolean;
}

export interface LocalPlayersOptions {
  replica: PlayerReplica;
  /** Unix milliseconds, by the database's clock. */
  now(): number;
  shownOf(wallet: string): Promise<Shown>;
  /** Resolves with whether what was sent to other nodes has reached their bus; null: there are no other nodes. */
  isBusAnswering: (() => Promise<boolean>) | null;
  report(thrown: unknown): void;
}

/** A connection of a player; null fields: it has no game open. */
export interface PlayerConnection {
  game: OpenGame | null;
  rich: RichPresence | null;
}

interface LocalPlayer {
  /** Empty: the player has left, which is about to be published. */
  readonly connections: PlayerConnection[];
  choice: StatusChoice;
  readonly since: number;
}

/** The players connected to this node, whose parts it puts into the replica, at most ten times a second for each. */
export class LocalPlayers {
  readonly #options: LocalPlayersOptions;
  readonly #players = new Map<string, LocalPlayer>();
  /** Players whose part may have changed. */
  readonly #changed = new Set<string>();
  #isPublishing = false;
  #isClosed = false;
  /** Callers waiting until what has changed is published. */
  #waiting: { resolve(): void; reject(error: unknown): void }[] = [];

  constructor(options: LocalPlayersOptions) {
    this.#options = options;
  }

  /**
   * Adds a connection. A status of its own is chosen before others see the player; unless it hides the player, it does
   * not count while another connection is open, which may have chosen a later one.
   */
  connect(wallet: string, game: Omit<OpenGame, 'at'> | null, status: NewStatus | null): PlayerConnection {
    const { replica, now } = this.#options;
    const known = this.#players.get(wallet);
    const isElsewhere = (known?.connections.length ?? 0) > 0 || replica.isElsewhere(wallet);
    const connection: PlayerConnection = { game: game && this.#openedNow(wallet, game), rich: null };
    if (known) known.connections.push(connection);
    else {
      this.#players.set(wallet, {
        connections: [connection],
        choice: replica.choiceOf(wallet),
        since: replica.onlineSince(wallet) ?? now(),
      });
    }
    if (status && (!isElsewhere || status.status === 'invisible')) this.#choose(wallet, status);
    this.refresh(wallet);
    return connection;
  }

  disconnect(wallet: string, connection: PlayerConnection): void {
    const player = this.#players.get(wallet);
    if (!player?.connections.includes(connection)) return;
    player.connections.splice(player.connections.indexOf(connection), 1);
    this.refresh(wallet);
  }

  /**
   * Sets the status of the player, on all of the player's connections. Resolves once other nodes have been sent it, who
   * then know it even if this one crashes, or after `deliveryMs` if they cannot be.
   * @throws GantryError `not_ready`: this node is about to end; or the error that prevented it
   */
  async choose(wallet: string, status: NewStatus): Promise<void> {
    this.#choose(wallet, status);
    const { isBusAnswering } = this.#options;
    // Also if it was chosen before: that may not have been published yet.
    if (!isBusAnswering || !this.#isPublishing || this.#isClosed) return;
    await new Promise<void>((resolve, reject) => this.#waiting.push({ resolve, reject }));
    const until = performance.now() + deliveryMs;
    if (await isBusAnswering()) return;
    while (performance.now() < until) {
      const wasUp = await isBusAnswering();
      await setTimeout(exchangedMs, undefined, { ref: false });
      if (wasUp && (await isBusAnswering())) return;
    }
  }

  #choose(wallet: string, { status, text, ageMs = 0 }: NewStatus): void {
    const player = this.#players.get(wallet);
    if (!player) return;
    const latest = this.#latestChoice(wallet, player);
    player.choice = latest;
    // With other nodes even the same status gets a new time: another one may have been chosen there in between.
    const isSame = latest.statusAt > 0 && latest.status === status && latest.text === text;
    if (isSame && !this.#options.isBusAnswering) return;
    const chosenAt = this.#options.now() - ageMs;
    if (ageMs > 0 && latest.statusAt >= chosenAt) return;
    // After the latest choice, wherever that was made: clocks of nodes may differ.
    player.choice = { status, text, statusAt: Math.max(chosenAt, latest.statusAt + 1) };
    this.refresh(wallet);
  }

  /** Sets the game that a connection has open; null: none. */
  openGame(wallet: string, connection: PlayerConnection, game: Omit<OpenGame, 'at'> | null): void {
    if (game?.id === connection.game?.id) return;
    connection.game = game && this.#openedNow(wallet, game);
    this.refresh(wallet);
  }

  /** Sets what a connection's game says about the player; null: nothing. */
  describe(wallet: string, connection: PlayerConnection, rich: RichPresence | null): void {
    connection.rich = rich;
    this.refresh(wallet);
  }

  /** Updates what others see of a player, whose privacy settings may have changed. */
  refresh(wallet: string): void {
    this.#changed.add(wallet);
    if (this.#isPublishing || this.#isClosed) return;
    this.#isPublishing = true;
    this.#publishAll().catch(this.#options.report);
  }

  /** The connections of this node end without others being told: see `PlayerReplica.goodbye`. */
  close(): void {
    this.#isClosed = true;
  }

  async #publishAll(): Promise<void> {
    while (this.#changed.size > 0) {
      await setTimeout(gatherMs, undefined, { ref: false });
      const wallets = [...this.#changed];
      this.#changed.clear();
      const waiting = this.#waiting.splice(0);
      try {
        if (!this.#isClosed) await this.#publish(wallets);
        for (const { resolve, reject } of waiting) {
          if (this.#isClosed) reject(new GantryError('not_ready', 'The server is shutting down'));
          else resolve();
        }
      } catch (error) {
        for (const { reject } of waiting) reject(error);
        if (!this.#isClosed) this.#options.report(error); // otherwise the database is closed
        for (const wallet of wallets) this.#changed.add(wallet);
        await setTimeout(retryMs, undefined, { ref: false });
      }
      if (this.#isClosed) return;
    }
    this.#isPublishing = false;
    // Their changes were on the way already.
    for (const { resolve } of this.#waiting.splice(0)) resolve();
  }

  async #publish(wallets: readonly string[]): Promise<void> {
    const { replica, shownOf } = this.#options;
    const shown = await Promise.all(
      wallets.map((wallet) => (this.#players.has(wallet) ? shownOf(wallet) : null)),
    );
    if (this.#isClosed) return;
    const parts: [string, PlayerPart][] = [];
    const left: [string, null][] = [];
    for (const [at, wallet] of wallets.entries()) {
      const player = this.#players.get(wallet);
      const settings = shown[at];
      if (player && settings) parts.push([wallet, this.#partOf(wallet, player, settings)]);
      if (!player || player.connections.length === 0) left.push([wallet, null]);
    }
    // Also of those who have left: the status that they chose last is remembered.
    replica.set(parts);
    replica.set(left);
    for (const [wallet] of left) this.#players.delete(wallet);
  }

  #partOf(wallet: string, player: LocalPlayer, shown: Shown): PlayerPart {
    player.choice = this.#latestChoice(wallet, player);
    const playing = latestGame(player.connections);
    const hidden = { isHidden: !shown.presence, isGameHidden: !shown.game };
    return { ...player.choice, ...playing, since: player.since, ...hidden };
  }

  /** The latest status of a player, which others may not have been told yet. */
  choiceOf(wallet: string): StatusChoice {
    const player = this.#players.get(wallet);
    return player ? this.#latestChoice(wallet, player) : this.#options.replica.choiceOf(wallet);
  }

  /** Another node may know a later one. */
  #latestChoice(wallet: string, { choice }: LocalPlayer): StatusChoice {
    const { status, text, statusAt } = this.#options.replica.choiceOf(wallet);
    return statusAt > choice.statusAt ? { status, text, statusAt } : choice;
  }

  #openedNow(wallet: string, { id, name }: Omit<OpenGame, 'at'>): OpenGame {
    const { replica, now } = this.#options;
    const own = this.#players.get(wallet)?.connections.map(({ game }) => game?.at ?? 0) ?? [];
    return { id, name, at: Math.max(now(), replica.lastGameAt(wallet) + 1, ...own.map((at) => at + 1)) };
  }
}
