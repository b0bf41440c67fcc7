import type { CallArguments } from './api.ts';
import type { Status } from './client-status.ts';
import { run } from './event-receiver.ts';
import type {
  Friend,
  FriendPresence,
  FriendRecord,
  OperationName,
  OperationOutput,
  OwnStatus,
  Received,
  ReceivedName,
} from './operation-types.ts';
import { Snapshot } from './snapshot.ts';

/** The largest page of `listFriends`. */
const pageRows = 250;

/** A friend, and what the friend shows; `offline`, without `since`, when that is not known. */
export type FollowedFriend = Friend & Omit<FriendPresence, 'since'> & Partial<Pick<FriendPresence, 'since'>>;

/** A player's friends and friend requests. */
export interface FriendList {
  /** Favorites first, then those who are online, then by name. */
  friends: FollowedFriend[];
  /** Requests of others, latest first. */
  received: Friend[];
  /** The player's own requests, latest first. */
  sent: Friend[];
  /** In a launcher: the status that the player has chosen, on any device. */
  own?: OwnStatus;
}

type Show = (list: FriendList) => void;
type Part = Pick<Snapshot<Friend>, 'isStale' | 'change'>;

/** What following takes of a `GantryClient`. */
interface Client {
  on<Name extends ReceivedName>(name: Name, listener: (record: Received[Name]) => void): unknown;
  onStatus(listener: (status: Status) => void): unknown;
  onResync(listener: (stream: string) => unknown): unknown;
  call<Name extends OperationName>(name: Name, ...args: CallArguments<Name>): Promise<OperationOutput<Name>>;
}

/** The player's friends, as they change. */
export class Friends {
  readonly #client: Client;
  readonly #list = new Snapshot<Friend>(() => this.#readList());
  readonly #presence = new Snapshot<FriendPresence>(() => this.#readPresence());
  readonly #followers = new Set<Show>();
  #own: OwnStatus | undefined;
  #isListening = false;
  #loading: Promise<void> | undefined;

  constructor(client: Client) {
    this.#client = client;
  }

  /**
   * Calls the listener with the player's friends and friend requests: before this resolves, and after every change.
   * Resolves with a function that stops it. @throws GantryError when they cannot be read
   */
  async follow(listener: Show): Promise<() => void> {
    this.#listen();
    const show: Show = (list) => listener(list);
    this.#followers.add(show);
    try {
      if (this.#isStale || this.#loading) await this.#load();
      else this.#show([show]);
    } catch (error) {
      this.#stop(show);
      throw error;
    }
    return () => this.#stop(show);
  }

  get #isStale(): boolean {
    return this.#list.isStale || this.#presence.isStale;
  }

  #stop(show: Show): void {
    if (!this.#followers.delete(show) || this.#followers.size > 0) return;
    this.#list.isStale = true;
    this.#presence.isStale = true;
    const unfollow = async () => {
      if (this.#followers.size === 0) await this.#client.call('unfollowPresence');
    };
    // Not before `followPresence`; if it fails, the connection is lost, and what it followed with it.
    Promise.resolve(this.#loading)
      .then(unfollow, unfollow)
      .catch(() => undefined);
  }

  #listen(): void {
    if (this.#isListening) return;
    this.#isListening = true;
    const client = this.#client;
    const put = (record: FriendRecord) => this.#change(this.#list, () => this.#put(record));
    client.on('friends created', put);
    client.on('friends patched', put);
    client.on('friends removed', ({ wallet }) =>
      this.#change(this.#list, () => {
        this.#list.items.delete(wallet);
        this.#presence.items.delete(wallet);
      }),
    );
    client.on('friend-presence patched', ({ friends, own }) =>
      this.#change(this.#presence, () => {
        this.#own = own ?? this.#own;
        for (const friend of friends) this.#presence.items.set(friend.wallet, friend);
        this.#expect(friends);
      }),
    );
    client.onResync((stream) => (stream.startsWith('account:') ? this.#reload(this.#list) : undefined));
    client.onStatus(({ state }) => {
      // Presence is followed by a connection, and its changes are not replayed.
      if (state === 'live') this.#reload(this.#presence).catch(() => undefined);
    });
  }

  #put({ normalizedAddress: _, ...friend }: FriendRecord): void {
    const known = this.#list.items.get(friend.wallet);
    if (known) this.#list.items.set(friend.wallet, { ...known, ...friend });
    else this.#list.isStale = true; // the event does not have the name
  }

  /** A friend who is online and not in the list has come into the game whose friends this session sees. */
  #expect(friends: readonly FriendPresence[]): void {
    const isMissing = ({ wallet, status }: FriendPresence) =>
      status !== 'offline' && !this.#list.items.has(wallet);
    if (friends.some(isMissing)) this.#list.isStale = true;
  }

  #change(snapshot: Part, change: () => void): void {
    if (this.#followers.size === 0) return;
    snapshot.change(change);
    if (this.#isStale)
      this.#load().catch(() => undefined); // until the next change or reconnect
    else if (!this.#loading) this.#show(this.#followers);
  }

  async #reload(snapshot: Part): Promise<void> {
    if (this.#followers.size === 0) return;
    snapshot.isStale = true;
    await this.#load();
  }

  /** Loads what is stale, and shows it. @throws GantryError */
  async #load(): Promise<void> {
    if (this.#loading) return this.#loading;
    this.#loading = this.#loadStale();
    try {
      await this.#loading;
    } finally {
      this.#loading = undefined;
    }
    this.#show(this.#followers);
  }

  async #loadStale(): Promise<void> {
    while (this.#followers.size > 0 && this.#isStale) {
      await (this.#list.isStale ? this.#list : this.#presence).load();
    }
  }

  async #readList(): Promise<Friend[]> {
    const list: Friend[] = [];
    for (let cursor = ''; ; ) {
      const page = await this.#client.call('listFriends', { limit: pageRows, cursor });
      list.push(...page.friends);
      if (!page.more) return list;
      cursor = page.nextCursor;
    }
  }

  async #readPresence(): Promise<FriendPresence[]> {
    const { friends, own } = await this.#client.call('followPresence');
    this.#own = own;
    this.#expect(friends);
    return friends;
  }

  #show(followers: Iterable<Show>): void {
    const rows = [...this.#list.items.values()].sort((one, other) => other.changedAt - one.changedAt);
    const of = (wanted: Friend['state']) => rows.filter(({ state }) => state === wanted);
    const unknown = { status: 'offline', joinable: false } as const;
    const friends = of('friend')
      .map((friend) => ({ ...friend, ...(this.#presence.items.get(friend.wallet) ?? unknown) }))
      .sort(inOrder);
    const own = this.#own && { own: this.#own };
    for (const show of followers) {
      run(() => show({ friends, received: of('received'), sent: of('sent'), ...own }));
    }
  }
}

/** Favorites first, then those who are online, then by name. */
function inOrder(one: FollowedFriend, other: FollowedFriend): number {
  const [first, second] = [keyOf(one), keyOf(other)];
  return first === second ? 0 : first < second ? -1 : 1;
}

function keyOf({ favorite, status, username }: FollowedFriend): string {
  return `${favorite ? 0 : 1}${status === 'offline' ? 1 : 0}${username.toLowerCase()}`;
}
