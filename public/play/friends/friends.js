import { Observable } from '../../shared/observable.js';
import { toast } from '../../shared/toasts.js';

/**
 * @typedef {import('gantry-client').FollowedFriend} Followed
 * @typedef {Omit<Followed, 'status'> & { status: Followed['status'] | 'unknown' }} Friend with what the friend is doing; `unknown` while that is not known
 * @typedef {import('gantry-client').FriendList['received'][number]} Request
 * @typedef {import('gantry-client').OperationOutput<'listInvites'>['received'][number]} Invite
 * @typedef {import('gantry-client').OperationInput<'addFriend'>} NewRequest
 */

/** The player's friends and requests, and invites. */
export class Friends extends Observable {
  #connection;
  #players;
  #wallet;
  /** By id. @type {Map<string, Invite>} */
  #invites = new Map();
  /** Events that arrive while the invites are read, and are newer. @type {(() => void)[] | null} */
  #held = null;
  #expiryTimer = 0;
  /** @type {(() => void)[]} */
  #unsubscribe = [];
  #isFollowing = false;
  /** @type {import('gantry-client').FriendList | null} null until loaded */
  #list = null;
  /** What the friends are doing is not replayed: after a loss of the connection it is unknown until it has been read again. */
  #isPresenceKnown = false;
  #onOwnStatus;
  /** @type {unknown} */
  error = null;

  /**
   * @param {import('gantry-client').GantryClient} connection with the launcher's own token
   * @param {import('../player-book.js').PlayerBook} players
   * @param {string} wallet
   * @param {(status: import('gantry-client').OwnStatus) => void} onOwnStatus called with the player's own status, which
   *   may have been chosen on another device
   */
  constructor(connection, players, wallet, onOwnStatus) {
    super();
    this.#connection = connection;
    this.#players = players;
    this.#wallet = wallet;
    this.#onOwnStatus = onOwnStatus;
    this.#unsubscribe = [
      connection.on('invites created', (invite) => this.#receive(() => this.#putInvite(invite))),
      connection.on('invites removed', (invite) => this.#receive(() => this.#endInvite(invite))),
    ];
  }

  close() {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    clearTimeout(this.#expiryTimer);
  }

  get isLoaded() {
    return this.#list !== null;
  }

  /** Favorites first, then those who are online, then by name. @returns {readonly Friend[]} */
  get friends() {
    const friends = this.#list?.friends ?? [];
    return this.#isPresenceKnown ? friends : friends.map(withoutPresence);
  }

  /** The connection is lost. */
  lost() {
    this.#isPresenceKnown = false;
    this.changed();
  }

  /** Requests to the player, latest first. */
  get received() {
    return this.#list?.received ?? [];
  }

  /** Requests by the player, latest first. */
  get sent() {
    return this.#list?.sent ?? [];
  }

  /** @param {string} wallet */
  friend(wallet) {
    return this.friends.find((one) => one.wallet === wallet);
  }

  /** How a player stands to this one; undefined: not at all. @param {string} wallet */
  stateOf(wallet) {
    const { friends, received, sent } = this;
    return [...friends, ...received, ...sent].find((one) => one.wallet === wallet)?.state;
  }

  /** Open invites to the player, oldest first. */
  get invites() {
    return this.#open().filter(({ wallet }) => wallet === this.#wallet);
  }

  /**
   * The open invite that the player has sent to a friend.
   * @param {string} wallet
   * @param {string} gameId
   */
  inviteTo(wallet, gameId) {
    return this.#open().find((one) => one.wallet === wallet && one.gameId === gameId);
  }

  #open() {
    const now = Date.now();
    return [...this.#invites.values()].filter(({ expiresAt }) => expiresAt > now);
  }

  /** Follows the list, once; what is missed while disconnected follows by itself. */
  async follow() {
    if (this.#isFollowing) return;
    this.#isFollowing = true;
    this.error = null;
    this.changed();
    try {
      const unfollow = await this.#connection.friends.follow((list) => this.#show(list));
      this.#unsubscribe.push(unfollow);
    } catch (error) {
      this.#isFollowing = false;
      this.error = error;
      this.changed();
    }
  }

  /** @param {import('gantry-client').FriendList} list */
  #show(list) {
    const before = this.#list;
    this.#list = list;
    this.#isPresenceKnown = true; // only shown once it is complete on this connection
    if (list.own && list.own !== before?.own) this.#onOwnStatus(list.own); // the same may be older than what was set here
    for (const { wallet, username, avatar } of [...list.friends, ...list.received, ...list.sent]) {
      this.#players.learn(wallet, username, avatar);
    }
    this.changed();
    if (before === null) return;
    const known = new Set(before.received.map(({ wallet }) => wallet));
    for (const { wallet, username } of list.received) {
      if (!known.has(wallet)) toast(`${username} would like to be friends`);
    }
    const asked = new Set(before.sent.map(({ wallet }) => wallet));
    for (const { wallet, username } of list.friends) {
      if (asked.has(wallet)) toast(`${username} and you are friends now`, 'success');
    }
  }

  async loadInvites() {
    this.#held ??= [];
    const answer = await this.#connection.call('listInvites', {}).catch(() => null); // on the next connection again
    if (answer) {
      this.#invites = new Map(
        [...answer.received, ...answer.sent].reverse().map((invite) => [invite.inviteId, invite]),
      );
    }
    const held = this.#held ?? [];
    this.#held = null;
    for (const apply of held) apply();
    this.#expire();
    this.changed();
  }

  /** @param {() => void} apply */
  #receive(apply) {
    if (this.#held) this.#held.push(apply);
    else apply();
    this.#expire();
    this.changed();
  }

  /** @param {Invite} invite */
  #putInvite(invite) {
    this.#invites.set(invite.inviteId, invite);
  }

  /** @param {Invite} invite */
  #endInvite({ inviteId, wallet, outcome }) {
    this.#invites.delete(inviteId);
    if (outcome === 'declined' && wallet !== this.#wallet) {
      toast(`${this.#players.name(wallet)} declined your invite`);
    }
  }

  /** Shows the change when the next invite expires. */
  #expire() {
    clearTimeout(this.#expiryTimer);
    const next = Math.min(...this.#open().map(({ expiresAt }) => expiresAt));
    if (next === Number.POSITIVE_INFINITY) return;
    const expired = () => {
      this.changed();
      this.#expire();
    };
    this.#expiryTimer = window.setTimeout(expired, next - Date.now() + 50);
  }

  /** Sends a friend request, or accepts the one of this player. @param {NewRequest} request */
  async add(request) {
    return (await this.#connection.call('addFriend', request)).state;
  }

  /** @param {string} wallet */
  async accept(wallet) {
    await this.#connection.call('acceptFriendRequest', { wallet });
  }

  /** @param {string} wallet */
  async decline(wallet) {
    await this.#connection.call('declineFriendRequest', { wallet });
  }

  /** Ends a friendship, or cancels a request. @param {string} wallet */
  async remove(wallet) {
    await this.#connection.call('removeFriend', { wallet });
  }

  /** Blocks a player in every game, which ends the friendship. @param {string} wallet */
  async block(wallet) {
    await this.#connection.call('blockPlayer', { wallet });
  }

  /**
   * @param {string} wallet
   * @param {{ favorite?: boolean, note?: string }} changes
   */
  async update(wallet, changes) {
    await this.#connection.call('updateFriend', { wallet, ...changes });
  }

  /**
   * The players whose chosen name begins with the text.
   * @param {string} query at least 3 characters
   * @returns {Promise<string[]>} their wallets
   */
  async search(query) {
    const { players } = await this.#connection.call('searchPlayers', { query });
    for (const { wallet, username, avatar } of players) this.#players.learn(wallet, username, avatar);
    return players.map(({ wallet }) => wallet).filter((wallet) => wallet !== this.#wallet);
  }

  async code() {
    return (await this.#connection.call('getFriendCode', {})).friendCode;
  }

  async replaceCode() {
    return (await this.#connection.call('resetFriendCode', {})).friendCode;
  }

  async privacy() {
    return (await this.#connection.call('getPrivacy', {})).privacy;
  }

  /** @param {import('gantry-client').OperationInput<'setPrivacy'>} privacy */
  async setPrivacy(privacy) {
    await this.#connection.call('setPrivacy', privacy);
  }

  /**
   * Invites a friend to a game.
   * @param {string} wallet
   * @param {string} gameId
   */
  async invite(wallet, gameId) {
    const { refused } = await this.#connection.call('sendInvite', { wallets: [wallet], gameId });
    if (refused.length > 0) throw new Error(`${this.#players.name(wallet)} does not accept invites now.`);
  }

  /** @param {string} inviteId */
  async cancelInvite(inviteId) {
    await this.#connection.call('cancelInvite', { inviteId });
  }

  /**
   * What opens the game that a friend is in, and joins the friend there.
   * @param {string} wallet
   */
  async join(wallet) {
    const { launch, connect } = await this.#connection.call('joinFriend', { wallet });
    return { gameId: launch.gameId, connect, from: wallet };
  }

  /**
   * Answers an invite.
   * @param {Invite} invite
   * @param {boolean} accept
   * @returns what opens the game; null when declined
   */
  async answer({ inviteId, from, gameId }, accept) {
    // Sent again after a lost connection, since an invite that has been answered is gone.
    const idempotencyKey = `${accept ? 'accept' : 'decline'}-${inviteId}`;
    const input = { inviteId, accept, idempotencyKey };
    const { connect = '' } = await this.#connection.call('respondToInvite', input);
    if (!accept) return null;
    // A launcher invites without what the game needs to join; the game itself may have told it.
    const sender = this.friend(from);
    if (connect === '' && sender?.joinable && sender.gameId === gameId) return this.join(from);
    return { gameId, connect, from };
  }
}

/** @param {Followed} friend @returns {Friend} */
function withoutPresence({
  wallet,
  userId,
  username,
  avatar,
  isGuest,
  state,
  favorite,
  note,
  message,
  changedAt,
}) {
  const friend = { wallet, userId, username, avatar, isGuest, state, favorite, note, message, changedAt };
  return { ...friend, status: 'unknown', joinable: false };
}
