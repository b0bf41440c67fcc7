import type { ActionState, ListedAction } from '../domain/action.ts';
import type { ActivityRecord, ActivityType, RecordedActivity } from '../domain/activity.ts';
import type { ChannelSession, UnverifiedChannel } from '../domain/channel-session.ts';
import type { Game, GameKind, PolicyChanges } from '../domain/game.ts';
import type {
  ChannelMessage,
  MessageChannel,
  MessageIdentity,
  Permission,
} from '../domain/message-channel.ts';
import type { NotificationRecord } from '../domain/notification.ts';
import type { Page, Paged } from '../domain/paging.ts';
import type { PlaySessionSummary } from '../domain/play-session.ts';
import type { Player } from '../domain/player.ts';
import type { RankedScore, ScoreRecord } from '../domain/score.ts';
import type { StateRecord } from '../domain/state.ts';
import type { WebhookDelivery, WebhookFilter, WebhookPayload, WebhookRecord } from '../domain/webhook.ts';
import type { StoredEvent } from '../events/stream.ts';
import type { Distribution } from '../observability/tally.ts';
import type { Rule } from '../rules/rule.ts';

/**
 * What Gantry keeps, in the words of the domain. Every promise of a write settles after the write is
 * durable, together with the event rows it caused; a write that rejects has changed nothing.
 *
 * Arguments and results are plain data, so that an adapter may live in another thread or across a network.
 * Rule checks that must hold at the moment of the write (who sent this message? is this session over?) are
 * made inside the write, and reject with a `GantryError`.
 */
export interface Store {
  readonly games: GameStore;
  readonly players: PlayerStore;
  readonly sessions: ChannelSessionStore;
  readonly scores: ScoreStore;
  readonly states: StateStore;
  readonly playSessions: PlaySessionStore;
  readonly activities: ActivityStore;
  readonly notifications: NotificationStore;
  readonly messageChannels: MessageChannelStore;
  readonly messages: MessageStore;
  readonly channelMembers: ChannelMemberStore;
  readonly rules: RuleStore;
  readonly actions: ActionStore;
  readonly chainLanes: ChainLaneStore;
  readonly webhooks: WebhookStore;
  readonly events: EventStore;
  readonly audit: AuditStore;
  readonly diagnostics: DiagnosticsStore;
  /** Calls the listener after every commit with the events it wrote, in the order they were written. It must not throw. */
  onCommit(listener: (events: readonly StoredEvent[]) => void): void;
  /**
   * Calls the listener when it changes what is wrong with writing, in words for whoever runs the server: the disk
   * is full, another process is in the way. Null: all is well. It must not throw.
   */
  onTrouble(listener: (trouble: string | null) => void): void;
  /** Finishes the writes under way, then lets go of the database. */
  close(): Promise<void>;
}

/** How the store does, for metrics. */
export interface DiagnosticsStore {
  /** What was committed since the store was opened, in the thread that writes. */
  commits(): Promise<CommitFigures>;
  sizes(): Promise<StoreSizes>;
}

export interface CommitFigures {
  /** Commands in a transaction. */
  batchSizes: Distribution;
  /** Time of a commit with its wait for the disk, in seconds. */
  seconds: Distribution;
  /** Transactions that were lost with all their commands. */
  failed: number;
}

export interface StoreSizes {
  databaseBytes: number;
  /** Of the write-ahead log. */
  logBytes: number;
}

/** A player in a game: whose data an operation is about. The wallet is lowercase. */
export interface Owner {
  gameId: string;
  wallet: string;
}

export interface NewGame {
  name: string;
  /** Left out: made of the name, with a number behind it when that is taken. */
  slug?: string | undefined;
  kind?: GameKind | undefined;
  url?: string | undefined;
  allowedOrigins?: string[] | undefined;
  policies?: PolicyChanges | undefined;
}

/** A game's secret as it is kept: never the secret itself. */
export interface SealedSecret {
  /** Hex SHA-256 of the secret. */
  hash: string;
  /** Hex MD5 of the secret, which the contract's request signature is made of, encrypted. */
  sealedMd5: string;
  /** The secret, which the HMAC request signature is made with, encrypted. */
  sealedSecret: string;
}

/** A secret as it can be shown. */
export interface SecretSummary {
  /** The first 12 hex digits of its SHA-256. */
  fingerprint: string;
  createdAt: number;
  /** When it stops working; null: not before it is rotated or revoked. */
  expiresAt: number | null;
}

export interface GameChanges {
  name?: string | undefined;
  url?: string | undefined;
  allowedOrigins?: string[] | undefined;
  policies?: PolicyChanges | undefined;
}

export interface GameStore {
  /** @throws GantryError `slug_taken` when the slug was given and another game has it */
  create(game: NewGame, secret: SealedSecret): Promise<Game>;
  find(gameId: string): Promise<Game | null>;
  findBySlug(slug: string): Promise<Game | null>;
  /** Games that name this browser origin among their allowed ones. */
  findByOrigin(origin: string): Promise<Game[]>;
  list(): Promise<Game[]>;
  /** Changes what is given; scores keep, and are ranked anew when the ranking's policy changes. @throws GantryError `game_unknown` */
  update(gameId: string, changes: GameChanges): Promise<Game>;
  /**
   * Adds a secret, which stops working after `lifetimeMs` when that is given; the earlier ones stop working
   * `graceMs` from now.
   * @throws GantryError `game_unknown`
   */
  rotateSecret(
    gameId: string,
    secret: SealedSecret,
    terms: { graceMs: number; lifetimeMs?: number | undefined },
  ): Promise<void>;
  /** The secrets of a game that still work, newest first. */
  listSecrets(gameId: string): Promise<SecretSummary[]>;
  /** Makes a secret stop working at once. @throws GantryError `secret_unknown` */
  revokeSecret(gameId: string, fingerprint: string): Promise<void>;
  /** The game a secret that still works belongs to. */
  findBySecretHash(hash: string): Promise<Game | null>;
  /** What signatures are checked with, sealed: of every secret of the game that still works. */
  sealedSecrets(gameId: string): Promise<SealedSecret[]>;
  /**
   * Marks a request nonce as seen.
   * @throws GantryError `nonce_replayed` when it was seen before for this game
   */
  consumeNonce(gameId: string, nonce: string): Promise<void>;
}

export interface PlayerStore {
  /** Sets what is given of the profile; a wallet never seen before gets one. */
  setProfile(wallet: string, profile: PlayerProfile): Promise<Player>;
  /** Players whose name or wallet begins with `search`, in the given game or any, newest first. */
  list(filter: PlayerFilter, page: Page): Promise<Paged<PlayerSummary>>;
  /** Ends the player's sessions there and keeps the player out. @throws GantryError `player_unknown` */
  ban(wallet: string, gameId: string | null, reason: string): Promise<void>;
  /** @throws GantryError `player_not_banned` */
  unban(wallet: string, gameId: string | null): Promise<void>;
  /**
   * Ends the player's sessions, waits a moment for what was let in before, then removes everything of the
   * player's, everywhere: rows, words in messages and events, traces in the audit log. What others have
   * (channels, messages of theirs) stays. @throws GantryError `player_unknown`
   */
  erase(wallet: string): Promise<void>;
}

export interface PlayerProfile {
  username?: string | undefined;
  avatar?: string | undefined;
}

export interface PlayerFilter {
  gameId?: string | undefined;
  search?: string | undefined;
}

export interface PlayerSummary extends Player {
  createdAt: number;
  /** The games the player is banned from; `''` stands for all of them. */
  bannedFrom: string[];
}

/** A session with whose it is and which game it is for. */
export interface SessionDetails {
  session: ChannelSession;
  player: Player;
  game: Game;
}

export interface ChannelSessionStore {
  /** Keeps a sign-in until it is used or expires. */
  requestSignIn(signIn: UnverifiedChannel): Promise<void>;
  /** The game a sign-in is for; null when there is no such sign-in. */
  gameOfSignIn(signInId: string): Promise<Game | null>;
  /**
   * Counts one attempt at a sign-in and returns it, so that parallel guesses cannot exceed the five allowed.
   * @throws GantryError `sign_in_unknown`, `sign_in_expired`, `sign_in_used`, `sign_in_attempts_exhausted`
   */
  beginAttempt(signInId: string): Promise<UnverifiedChannel>;
  /** Takes back an attempt that `beginAttempt` counted, because nobody could judge its signature. */
  giveBackAttempt(signInId: string): Promise<void>;
  /**
   * Opens the session a sign-in was for, once.
   * @throws GantryError `sign_in_used` when another call was first
   */
  completeSignIn(signInId: string, lifetimeMs: number): Promise<SessionDetails>;
  /**
   * Opens a session; where a game allows one a player, the one before is ended.
   * @throws GantryError `game_unknown`, `player_banned`
   */
  open(owner: Owner, lifetimeMs: number): Promise<SessionDetails>;
  /** The session in whatever condition it is: ended and expired ones are found too. */
  find(sessionId: string): Promise<SessionDetails | null>;
  /** A player's sessions that have neither ended nor expired, in all games, newest first. */
  listLive(wallet: string): Promise<SessionDetails[]>;
  /**
   * Ends a session of this player; ending one that has ended changes nothing.
   * @throws GantryError `session_unknown` when there is none, or it is another player's
   */
  end(wallet: string, sessionId: string): Promise<void>;
  /** Ends a session whose time is over, so that whoever listens in it is told; another one is left alone. */
  expire(sessionId: string): Promise<void>;
  /** Ends any player's session. @throws GantryError `session_unknown` */
  revoke(sessionId: string): Promise<void>;
  /**
   * Ends a player's live sessions in a game, or the one that is named, and tells how many that were.
   * @throws GantryError `session_unknown` when the one named is not of this player in this game; one that has
   * ended is, and counts for none
   */
  revokeInGame(owner: Owner, sessionId?: string): Promise<number>;
  /** Ends sessions whose tokens are void because the key they were signed with was retired; unknown ones are left out. */
  retire(sessionIds: readonly string[]): Promise<void>;
  /** Sessions in whatever condition, newest first. */
  list(
    filter: { wallet?: string | undefined; gameId?: string | undefined },
    page: Page,
  ): Promise<Paged<SessionDetails>>;
  /** When the last of the sessions that have not ended expires, in Unix milliseconds; null when there is none. */
  lastExpiry(): Promise<number | null>;
  /** Tells the player's launchers that someone is there in this session, or no longer, if it is not what they were told last. */
  recordPresence(sessionId: string, present: boolean): Promise<void>;
  /** Live sessions whose launchers were told last that someone is there, by id; those after `after`. */
  toldPresent(after: string, limit: number): Promise<string[]>;
}

export interface ScoreStore {
  /** Upserts on (game, player, nonce); without a nonce, always a new record under a nonce of its own. */
  set(owner: Owner, score: number, nonce?: string): Promise<ScoreRecord>;
  /** The record last set, or the one under `nonce`. */
  find(owner: Owner, nonce?: string): Promise<ScoreRecord | null>;
  /** Last set first. */
  list(owner: Owner, page: Page, nonce?: string): Promise<ScoreRecord[]>;
  /**
   * One row a player, by the game's policy; ties to whoever got there first, then by id. The same frozen array
   * again while nothing in it has changed.
   */
  leaderboard(gameId: string, page: Page): Promise<readonly RankedScore[]>;
  /** The player's row on the leaderboard, counted from 1; null without a score. */
  position(owner: Owner): Promise<number | null>;
  /** Takes a score away, whoever's it is; the leaderboard follows. @throws GantryError `score_unknown` */
  remove(gameId: string, scoreId: string): Promise<void>;
}

/** A game's, or one player's in it. */
export interface GameFilter {
  gameId: string;
  wallet?: string | undefined;
}

export interface StateSummary extends Omit<StateRecord, 'state'> {
  /** Of the canonical JSON, in UTF-8. */
  bytes: number;
}

/** A state as it is kept: `json` is its text, which an answer takes in as it is. */
export interface KeptState extends Omit<StateRecord, 'state'> {
  json: string;
}

export interface StateStore {
  /** Upserts on (game, player, label). `json` is canonical and `ipfsHash` its content id. Returns all but the state. */
  set(owner: Owner, label: string, json: string, ipfsHash: string): Promise<Omit<StateRecord, 'state'>>;
  /** Last updated first. */
  list(owner: Owner, page: Page, label?: string): Promise<KeptState[]>;
  /** Without the states themselves, by wallet and label; of one player where a wallet is given. */
  listOfGame(filter: GameFilter, page: Page): Promise<Paged<StateSummary>>;
}

export interface PlaySessionStore {
  /**
   * Starts, updates or (with `endTime`) ends a play session.
   * @throws GantryError `play_session_not_yours`, `play_session_ended`, `end_time_before_start`
   */
  track(
    owner: Owner,
    play: { sessionId: string; state: string; endTime?: number | undefined },
  ): Promise<void>;
  /** Last begun first. */
  list(filter: GameFilter, page: Page): Promise<Paged<PlaySessionSummary>>;
  find(sessionId: string): Promise<(PlaySessionSummary & { state: string }) | null>;
}

export interface ActivityFilter {
  wallet?: string | undefined;
  gameId?: string | undefined;
  type?: ActivityType | undefined;
}

export interface ActivityStore {
  record(owner: Owner, activity: { label: string; eventId: string }): Promise<ActivityRecord>;
  /** Newest first. */
  list(filter: ActivityFilter, page: Page): Promise<RecordedActivity[]>;
}

export interface NotificationStore {
  send(owner: Owner, notification: Pick<NotificationRecord, 'message' | 'type'>): Promise<NotificationRecord>;
  /**
   * What no launcher has been told yet, those of a stream oldest first; these are kept until they are.
   * `after`: those behind this one, the last of the page before.
   */
  undelivered(
    listener: Listener,
    limit: number,
    after?: StoredEvent<'notifications created'>,
  ): Promise<StoredEvent<'notifications created'>[]>;
  /** A launcher was told. */
  markDelivered(notificationIds: readonly string[]): Promise<void>;
}

/** Whose events a socket hears: a player's in one game, or (a launcher's own session) in every game. */
export interface Listener {
  wallet: string;
  /** Null: every game. */
  gameId: string | null;
}

/** Where a stream stands for a listener. */
export interface StreamStanding {
  stream: string;
  /** The last event's; 0 before the first. */
  seq: number;
  /** The oldest event kept. */
  firstSeq: number;
  /** Events up to here are not for this listener: it joined the message channel later. */
  since: number;
}

export interface Retention {
  maximumAgeMs: number;
  /** The most events kept of one stream. */
  maximumCount: number;
}

export interface EventStore {
  /** Names this history; a cursor with another epoch is into another one. */
  epoch(): Promise<string>;
  /** The place of the last commit's last event. */
  lastPosition(): Promise<number>;
  /**
   * Events in the order of their commits, from every stream and every process. Audiences are as of now, save
   * that who joined a message channel later does not hear what came before.
   */
  after(position: number, limit: number): Promise<StoredEvent[]>;
  /** The streams a listener hears, as they stand now: its own, and those of its message channels. */
  standings(listener: Listener): Promise<StreamStanding[]>;
  /** Where one stream stands; `seq` 0 when nothing was ever written to it. */
  standing(stream: string): Promise<StreamStanding>;
  /** A stream's events after `seq`, in order. */
  ofStream(stream: string, afterSeq: number, limit: number): Promise<StoredEvent[]>;
  /**
   * Forgets events that are too old or too many, and delivered notifications that are too old, a limited
   * number at a time; true when there may be more to forget.
   */
  trim(retention: Retention): Promise<boolean>;
}

/**
 * Message channels. To someone who is not in a channel, it and its messages are not there: every method,
 * here and in `MessageStore`, answers `channel_unknown` or `message_unknown`, as for an id that never was.
 */
export interface MessageChannelStore {
  /** The channel of exactly these participants in this game: the one there is, or a new one. */
  create(creator: Owner, others: readonly string[]): Promise<MessageChannel>;
  /** @throws GantryError `channel_unknown`; `permission_missing` when `wanted` is given and not held */
  get(member: Owner, channelId: string, wanted?: Permission): Promise<MessageChannel>;
  /** Latest activity first. */
  list(member: Owner, page: Page): Promise<Paged<MessageChannel>>;
  /** @throws GantryError `channel_unknown`, `permission_missing`, `participants_invalid` */
  addParticipant(by: Owner, channelId: string, wallet: string): Promise<MessageChannel>;
  /**
   * Removing oneself is leaving, and always allowed. The channel as it was left is returned; who was removed
   * no longer hears of it.
   * @throws GantryError `channel_unknown`, `permission_missing`, `participants_invalid`
   */
  removeParticipant(by: Owner, channelId: string, wallet: string): Promise<MessageChannel>;
  /** Changes what is given. @throws GantryError `channel_unknown`, `permission_missing` */
  editInfo(by: Owner, channelId: string, info: ChannelInfo): Promise<MessageChannel>;
  /** Every channel of a game, latest activity first; for moderation. */
  listOfGame(gameId: string, page: Page): Promise<Paged<MessageChannel>>;
}

/** Someone in a message channel, with what tells whether they are there. */
export interface ChannelMember extends Omit<Player, 'userId'> {
  /** The newest of the member's live sessions in the game and in launchers, a few of each. */
  sessionIds: string[];
}

export interface ChannelMemberStore {
  /** Everyone in a channel, whoever has been there longest first. @throws GantryError `channel_unknown` */
  list(member: Owner, channelId: string): Promise<ChannelMember[]>;
}

export interface ChannelInfo {
  name?: string | undefined;
  chatPicture?: string | undefined;
}

export interface MessageStore {
  /** Newest first. @throws GantryError `channel_unknown` */
  list(member: Owner, channelId: string, page: Page): Promise<Paged<ChannelMessage>>;
  /** @throws GantryError `channel_unknown`, `permission_missing` */
  send(sender: Owner, channelId: string, content: string): Promise<ChannelMessage>;
  /** @throws GantryError `message_unknown`, `not_the_sender`, `permission_missing` */
  edit(sender: Owner, messageId: string, content: string): Promise<ChannelMessage>;
  /** Erases what was said, everywhere it was kept. @throws GantryError `message_unknown`, `not_the_sender` */
  unsend(sender: Owner, messageId: string): Promise<MessageIdentity>;
  /** As `list`, for moderation. @throws GantryError `channel_unknown` */
  listForModeration(channelId: string, page: Page): Promise<Paged<ChannelMessage>>;
  /** As `unsend`, for moderation, whoever sent it. @throws GantryError `message_unknown` */
  remove(messageId: string): Promise<MessageIdentity>;
}

export interface AuditEntry {
  id: string;
  at: number;
  /** `admin-token` or `cli`. */
  actor: string;
  operation: string;
  input: unknown;
  /** Null: not told; else `ok` or the reason it was refused for. */
  outcome: string | null;
}

/** Who did what with an administrator's powers. */
export interface AuditStore {
  /** Written before the operation is carried out, so that nothing goes unseen. Returns the entry's id. */
  begin(actor: string, operation: string, input: unknown): Promise<string>;
  finish(id: string, outcome: string): Promise<void>;
  /** Newest first. */
  list(page: Page): Promise<Paged<AuditEntry>>;
}

export interface RuleSet {
  /** 0 when none were ever stored; one more with each change. */
  version: number;
  rules: Rule[];
}

export interface TriggerInput {
  trigger: string;
  value?: number | undefined;
  nonce?: string | undefined;
}

export interface TriggerAnswer {
  triggerUuid: string;
  /** The types of the actions that were carried out, or are in the queue. */
  actions: string[];
}

/** What is known of chains when a trigger arrives: the store asks none. */
export interface ChainFacts {
  /** The addresses of the signers there are, by name; lowercase. */
  signers: Readonly<Record<string, string>>;
  /** Balances of the player, by `balanceKey`, as decimal texts; one that is missing satisfies no condition. */
  balances: Readonly<Record<string, string>>;
}

/** What one action of a rule would do on a trigger. */
export interface Verdict {
  /** Its rule's place in the list, and its place in the rule, from 0. */
  rule: number;
  action: number;
  type: string;
  fires: boolean;
  /** Why it would not fire; null: it would. */
  why: string | null;
}

export interface RuleStore {
  get(gameId: string): Promise<RuleSet>;
  /** Replaces a game's rules. @throws GantryError `game_unknown` */
  set(gameId: string, rules: Rule[]): Promise<RuleSet>;
  /**
   * Runs the game's rules on an event: conditions are judged, limits counted, and actions carried out or
   * (on a chain, or to webhooks) written to the queue, as one change. The same nonce gives the first answer again and does nothing more.
   * @throws GantryError `nonce_reused` when the nonce came before with another trigger or value
   */
  trigger(owner: Owner, input: TriggerInput, chain?: ChainFacts): Promise<TriggerAnswer>;
  /** What `trigger` would do, of every action of every rule of this trigger; of these rules, or those stored. */
  explain(owner: Owner, input: TriggerInput, chain: ChainFacts, rules?: Rule[]): Promise<Verdict[]>;
}

/** Something to be done after the commit of what caused it; see `ActionStore`. */
export interface NewAction {
  /** Which runner carries it out. */
  kind: string;
  /** Of a chain, `<chain id>:<signer>`; of webhooks, the webhook. Left out: nobody carries it out. */
  lane?: string | undefined;
  /** Shown to players and administrators. */
  type: string;
  gameId: string;
  /** Left out: it concerns no player, and no launcher hears of it. */
  wallet?: string | undefined;
  triggerUuid?: string | undefined;
  /** The runner's own; must be JSON. */
  payload: unknown;
  /** Unix milliseconds; left out: at once. */
  dueAt?: number | undefined;
}

/** An action of the queue with all that is kept of it. */
export type QueuedAction = ListedAction;

export interface ActionFilter {
  gameId?: string | undefined;
  wallet?: string | undefined;
  kind?: string | undefined;
  state?: ActionState | undefined;
}

/** How the queue stands, for metrics. */
export interface QueueFigures {
  kind: string;
  /** Actions queued or submitted. */
  depth: number;
  /** When the oldest of them was written, in Unix milliseconds. */
  oldestAt: number;
}

/**
 * The durable queue. An action is written in the transaction of what caused it (`enqueueWithin` of the
 * adapter, or `enqueue`), so that whatever was answered will be done. Who carries it out depends on its kind:
 * see `ChainLaneStore` and `WebhookStore`, which keep two processes from doing it at once. Every change of an
 * action of a rule with a wallet is a `rule-actions patched` to the player's launchers.
 */
export interface ActionStore {
  enqueue(actions: readonly NewAction[]): Promise<QueuedAction[]>;
  /** Goes on holding claims for `leaseMs` from now. */
  renew(node: string, actionIds: readonly string[], leaseMs: number): Promise<void>;
  find(actionId: string): Promise<QueuedAction | null>;
  /** Newest first. */
  list(filter: ActionFilter, page: Page): Promise<Paged<QueuedAction>>;
  /**
   * queued → cancelled. @throws GantryError `action_unknown`; `action_not_cancellable` when it was sent, is being
   * sent right now, or is over
   */
  cancel(actionId: string): Promise<QueuedAction>;
  /**
   * failed or cancelled → queued, due at once, its attempts counted anew; a queued one that waits is due at once.
   * @throws GantryError `action_unknown`, `action_not_retryable`, `spending_limit_reached`
   */
  requeue(actionId: string): Promise<QueuedAction>;
  /** How many actions are queued or submitted, of all kinds; as cheap as it can be, for who asks every moment. */
  depth(): Promise<number>;
  /** One row for each kind that has something to do. */
  figures(): Promise<QueueFigures[]>;
  /** Forgets finished actions last changed before `olderThan`, a limited number; true: there may be more. */
  trim(olderThan: number): Promise<boolean>;
}

/** A transaction that was signed. Amounts of wei are decimal texts. */
export interface SignedTransaction {
  hash: string;
  nonce: number;
  /** Empty: it only fills a gap. */
  actionId: string;
  raw: string;
  maxFee: string;
  priorityFee: string;
  signedAt: number;
}

/**
 * A lane is one signer on one chain, `<chain id>:<address>`. Its nonces are given out here, and only to the
 * process that has leased the lane; nothing is sent that is not written here first. Methods that take a node
 * answer false or null, and change nothing, when the lane is not (or no longer) leased to it.
 */
export interface ChainLaneStore {
  /** Leases the lane or prolongs the lease; false when another process has it. */
  lease(lane: string, node: string, leaseMs: number): Promise<boolean>;
  release(lane: string, node: string): Promise<void>;
  /** Lanes with actions that are queued or submitted. */
  busyLanes(): Promise<string[]>;
  /** Actions of the lane that are queued and due, oldest first. */
  due(lane: string, limit: number): Promise<QueuedAction[]>;
  nextNonce(lane: string): Promise<number | null>;
  /** Moves the next nonce up to the chain's, for a signer that was used elsewhere; never down. */
  raiseNonce(lane: string, node: string, nonce: number): Promise<boolean>;
  /**
   * Writes the signed transaction and makes its action `submitted`, in one step; for the next nonce, it also
   * counts the nonce on. False as well when the nonce is not the next one, or the action is no longer queued.
   */
  signed(lane: string, node: string, transaction: SignedTransaction): Promise<boolean>;
  /** As `signed`, for the same nonce with higher fees; or for one that is to be filled, without an action. */
  replaced(lane: string, node: string, transaction: SignedTransaction): Promise<boolean>;
  /** What was signed and is not settled, by nonce, then oldest first. */
  open(lane: string): Promise<SignedTransaction[]>;
  /** The nonce is used up on the chain, by `hash` (the action is `confirmed`, or with `error` `failed`). */
  settle(lane: string, node: string, nonce: number, hash: string, error: string | null): Promise<boolean>;
  /** The nonce is used up by a transaction that is not ours: its action is `queued` again. */
  requeueLost(lane: string, node: string, nonce: number): Promise<boolean>;
  /** A queued action cannot be done: `failed`. */
  fail(lane: string, node: string, actionId: string, error: string): Promise<boolean>;
  /** A queued action cannot be sent now: it is due again at `dueAt`. */
  postpone(lane: string, node: string, actionId: string, error: string, dueAt: number): Promise<boolean>;
}

export interface NewWebhook {
  gameId: string;
  url: string;
  filter: WebhookFilter;
  /** Encrypted; the secret itself is never kept. */
  sealedSecret: string;
}

export interface WebhookChanges {
  url?: string | undefined;
  filter?: WebhookFilter | undefined;
  /** Enabling forgets why it was disabled. */
  enabled?: boolean | undefined;
}

export interface DeliveryFilter {
  webhookId?: string | undefined;
  gameId?: string | undefined;
  state?: ActionState | undefined;
}

/** How many deliveries a process can take. */
export interface ClaimTerms {
  /** In all. */
  room: number;
  /** To one host, of which none is under way. */
  perHost: number;
  /** To hosts to which some are under way, so many more. */
  busyHosts: Readonly<Record<string, number>>;
  leaseMs: number;
}

/** A delivery with all that is needed to make it. */
export interface ClaimedDelivery {
  deliveryId: string;
  webhookId: string;
  url: string;
  /** The URL's, with the port when it is not the scheme's own. */
  host: string;
  /** Encrypted, newest first; all of them sign. */
  sealedSecrets: string[];
  /** This one included. */
  attempts: number;
  payload: WebhookPayload;
}

export type DeliveryOutcome =
  | { delivered: true }
  /** `gone`: the receiver wants no more, ever. */
  | { delivered: false; error: string; dueAt: number; gone: boolean };

/** What became of a delivery that was tried. */
export type DeliveryEnd = 'confirmed' | 'failed' | 'retried';

/**
 * Webhooks and their deliveries. A delivery is an action of the queue (`ActionStore`) of the kind `webhook`,
 * written in the transaction of the event it reports, one for each webhook of the game that takes the event
 * in. It is tried for a day, then `failed`: the dead-letter list is `deliveries({state: 'failed'})`.
 */
export interface WebhookStore {
  /** @throws GantryError `game_unknown`, `webhook_limit_reached` */
  create(webhook: NewWebhook): Promise<WebhookRecord>;
  find(webhookId: string): Promise<WebhookRecord | null>;
  /** Of one game or of all, oldest first. */
  list(gameId?: string): Promise<WebhookRecord[]>;
  /** Changes what is given. What waits for one that is disabled becomes `failed`. @throws GantryError `webhook_unknown` */
  update(webhookId: string, changes: WebhookChanges): Promise<WebhookRecord>;
  /** With its deliveries. @throws GantryError `webhook_unknown` */
  remove(webhookId: string): Promise<void>;
  /** Adds a secret; the earlier ones sign for another `overlapMs`. @throws GantryError `webhook_unknown` */
  rotateSecret(webhookId: string, sealedSecret: string, overlapMs: number): Promise<void>;
  /** What deliveries are signed with now, newest first. */
  sealedSecrets(webhookId: string): Promise<string[]>;
  /** Newest first. */
  deliveries(filter: DeliveryFilter, page: Page): Promise<Paged<WebhookDelivery>>;
  /**
   * A delivery, whatever became of it, is queued again for another day; one that is under way goes on.
   * @throws GantryError `delivery_unknown`, `webhook_disabled`
   */
  replay(deliveryId: string): Promise<WebhookDelivery>;
  /** Whether `claim` would find something to do; asked before it, because it writes. */
  anyDue(): Promise<boolean>;
  /**
   * Takes deliveries that are due and nobody has, the oldest due of each webhook first, for `leaseMs`; `renew`
   * of `ActionStore` prolongs it. Clears away, a few at a time, what waits for webhooks disabled or removed.
   */
  claim(node: string, terms: ClaimTerms): Promise<ClaimedDelivery[]>;
  /** Writes how a try ended; null, and nothing changes, when the delivery is no longer `node`'s. */
  settle(node: string, deliveryId: string, outcome: DeliveryOutcome): Promise<DeliveryEnd | null>;
}
