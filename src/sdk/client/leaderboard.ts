import type { CallArguments } from './api.ts';
import type { Status } from './client-status.ts';
import type { Meta } from './cursors.ts';
import { run } from './event-receiver.ts';
import type {
  LeaderboardRow,
  OperationName,
  OperationOutput,
  Received,
  ReceivedName,
} from './operation-types.ts';

/** The first rows of a leaderboard, whose changes the server sends. */
const followedRows = 50;

type Show = (rows: readonly LeaderboardRow[]) => void;
type Change = Pick<Received['leaderboards patched'], 'length' | 'rows'>;

/** A leaderboard of the player's game. */
export class Leaderboard {
  readonly #read: () => Promise<LeaderboardRow[]>;
  readonly #followers = new Set<Show>();
  /** Rows are missing only while they are loaded. */
  #rows: (LeaderboardRow | undefined)[] = [];
  #loaded: Promise<void> | undefined;
  /** The changes since rows were requested; null: they are applied immediately. */
  #changes: Change[] | null = null;

  /** `read`: reads the current rows. */
  constructor(read: () => Promise<LeaderboardRow[]>) {
    this.#read = read;
  }

  /**
   * Calls the listener with the first rows, best first: before this resolves, and after every change. Resolves with a
   * function that stops it. @throws GantryError when the rows cannot be read
   */
  async follow(
    listener: (rows: LeaderboardRow[]) => void,
    { limit = 10 }: { limit?: number } = {},
  ): Promise<() => void> {
    await (this.#loaded ?? this.load());
    const show: Show = (rows) => listener(rows.slice(0, limit));
    this.#followers.add(show);
    this.#show([show]);
    return () => this.#followers.delete(show);
  }

  get isFollowed(): boolean {
    return this.#followers.size > 0;
  }

  /** Loads the rows, again if they are loaded. @throws GantryError */
  load(): Promise<void> {
    const loading = this.#load();
    this.#loaded = loading;
    loading.catch(() => {
      if (this.#loaded === loading) this.#loaded = undefined; // until the next change or reconnect
    });
    return loading;
  }

  change(change: Change): void {
    if (this.#changes) this.#changes.push(change);
    else this.#apply([change]);
  }

  async #load(): Promise<void> {
    const changes: Change[] = [];
    this.#changes = changes;
    try {
      const rows = await this.#read();
      if (this.#changes !== changes) return this.#loaded; // loaded again meanwhile
      this.#rows = rows;
    } finally {
      if (this.#changes === changes) this.#changes = null;
    }
    this.#apply(changes);
  }

  /** Each change is relative to the one before, so the rows are right even if they already contain some of it. */
  #apply(changes: readonly Change[]): void {
    for (const { length, rows } of changes) {
      for (const row of rows) this.#rows[row.position - 1] = row;
      this.#rows.length = length;
    }
    if (this.#rows.includes(undefined)) this.load().catch(() => undefined);
    else this.#show(this.#followers);
  }

  #show(followers: Iterable<Show>): void {
    const rows = this.#rows.filter((row) => row !== undefined);
    for (const show of followers) run(() => show(rows));
  }
}

/** What following takes of a `GantryClient`. */
interface Client {
  on<Name extends ReceivedName>(name: Name, listener: (record: Received[Name], meta: Meta) => void): unknown;
  onStatus(listener: (status: Status) => void): unknown;
  subscribe(): Promise<OperationOutput<'subscribe'>>;
  call<Name extends OperationName>(name: Name, ...args: CallArguments<Name>): Promise<OperationOutput<Name>>;
}

/** The leaderboards that a client follows. */
export class Leaderboards {
  readonly #client: Client;
  readonly #boards = new Map<string, Leaderboard>();
  #subscribed: Promise<OperationOutput<'subscribe'>> | undefined;
  /** The game's public stream. */
  #stream: string | undefined;

  constructor(client: Client) {
    this.#client = client;
  }

  get(name: string): Leaderboard {
    if (this.#boards.size === 0) this.#listen();
    const board = this.#boards.get(name) ?? new Leaderboard(() => this.#read(name));
    this.#boards.set(name, board);
    return board;
  }

  #listen(): void {
    const client = this.#client;
    client.on('leaderboards patched', (change, { stream }) => this.#change('default', change, stream));
    client.on('named-leaderboards patched', (change, { stream }) =>
      this.#change(change.leaderboard, change, stream),
    );
    client.on('leaderboard-seasons ended', ({ leaderboard }, { stream }) => {
      if (stream === this.#stream) this.#reload(leaderboard);
    });
    client.onStatus(({ state }) => {
      if (state !== 'live') return;
      this.#subscribed = undefined; // changes are not replayed
      for (const name of this.#boards.keys()) this.#reload(name);
    });
  }

  #change(name: string, change: Change, stream: string): void {
    if (stream === this.#stream) this.#boards.get(name)?.change(change);
  }

  #reload(name: string): void {
    const board = this.#boards.get(name);
    if (board?.isFollowed) board.load().catch(() => undefined);
  }

  async #read(name: string): Promise<LeaderboardRow[]> {
    const client = this.#client;
    if (name === 'default') this.#subscribed = undefined; // subscribing answers with its rows
    this.#subscribed ??= client.subscribe();
    const { stream, leaderboard } = await this.#subscribed.catch((error) => {
      this.#subscribed = undefined;
      throw error;
    });
    this.#stream = stream;
    if (name === 'default') return leaderboard;
    const read = await client.call('getGameScoresLeaderboard', {
      gameId: stream.replace('game:', ''),
      leaderboard: name,
      limit: followedRows,
    });
    return read.leaderboard.map((row, index) => ({ ...row, position: index + 1 }));
  }
}
