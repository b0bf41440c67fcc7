import { Observable } from '../shared/observable.js';

/** How long `caught-up` is shown before it is plain `live` again, in milliseconds. */
const caughtUpShownMs = 8_000;
/** How often the cursors are looked at during a replay: this page does not count every kind of event. */
const replayCheckMs = 500;
/** A replay of which nothing arrives for this long is over: one of its streams is not followed any more. */
const replayTimeoutMs = 20_000;

/** Counted as missed. */
const countedEvents = /** @type {const} */ ([
  'chat-messages created',
  'chat-messages patched',
  'chat-messages removed',
  'message-reactions created',
  'message-reactions removed',
  'message-channels created',
  'message-channels patched',
  'notifications created',
  'scores created',
  'scores patched',
  'scores removed',
  'activities created',
  'leaderboard-seasons ended',
  'friends created',
  'friends patched',
  'friends removed',
  'invites created',
  'invites removed',
  'releases created',
  'events started',
  'events ended',
]);
/** The player's own: replayed too, but not missed. */
const ownEvents = /** @type {const} */ ([
  'read-markers patched',
  'notifications read',
  'muted-games patched',
  'privacy patched',
  'player-blocks patched',
  'game-channels patched',
]);

/** The state of the launcher's connection, and the progress of the replay of what it missed. */
export class ConnectionState extends Observable {
  #connection;
  #replayLeft = 0;
  /** The number of events in the replay, and the cursors before it. */
  #replayed = 0;
  /** @type {Readonly<Record<string, import('gantry-client').Cursor>>} */
  #from = {};
  #timer = 0;
  /** @type {'connecting' | 'reconnecting' | 'catching-up' | 'caught-up' | 'live'} */
  state = 'connecting';
  /** The number of events in the last replay. */
  missed = 0;

  /** @param {import('gantry-client').GantryClient} connection */
  constructor(connection) {
    super();
    this.#connection = connection;
    for (const name of countedEvents) connection.on(name, (_record, meta) => this.#count(meta, 1));
    for (const name of ownEvents) connection.on(name, (_record, meta) => this.#count(meta, 0));
  }

  /** Whether the server is connected; without it, what the page knows of others may be out of date. */
  get isConnected() {
    return this.state !== 'connecting' && this.state !== 'reconnecting';
  }

  connecting() {
    clearTimeout(this.#timer);
    this.state = this.state === 'connecting' ? 'connecting' : 'reconnecting';
    this.changed();
  }

  /** @param {number} replayed how many events are about to be replayed */
  live(replayed) {
    clearTimeout(this.#timer);
    const isFirst = this.state === 'connecting';
    this.missed = 0;
    this.#replayLeft = replayed;
    this.#replayed = replayed;
    this.#from = this.#connection.cursors;
    this.state = isFirst ? 'live' : 'catching-up';
    if (!isFirst && replayed === 0) this.#caughtUp();
    else if (!isFirst) this.#check(0, performance.now());
    this.changed();
  }

  /**
   * Counts an event of a replay; a live one is ignored.
   * @param {{ seq?: number, late?: true }} meta
   * @param {number} counts
   */
  #count({ seq, late }, counts) {
    if (this.#replayLeft === 0 || seq === undefined || late) return;
    this.#replayLeft -= 1;
    this.missed += counts;
    if (this.#replayLeft === 0 && this.state === 'catching-up') this.#caughtUp();
  }

  /**
   * Ends the replay once the cursors have reached its end.
   * @param {number} before how many events had arrived at the last check
   * @param {number} since when that was last another number
   */
  #check(before, since) {
    const now = this.#connection.cursors;
    let arrived = 0;
    for (const [stream, { epoch, seq }] of Object.entries(this.#from))
      if (now[stream]?.epoch === epoch) arrived += now[stream].seq - seq;
    const lastAt = arrived === before ? since : performance.now();
    if (arrived >= this.#replayed || performance.now() - lastAt > replayTimeoutMs) this.#caughtUp();
    else this.#timer = window.setTimeout(() => this.#check(arrived, lastAt), replayCheckMs);
  }

  #caughtUp() {
    clearTimeout(this.#timer);
    this.#replayLeft = 0;
    this.state = 'caught-up';
    this.#timer = window.setTimeout(() => {
      this.state = 'live';
      this.changed();
    }, caughtUpShownMs);
    this.changed();
  }

  close() {
    clearTimeout(this.#timer);
  }
}
