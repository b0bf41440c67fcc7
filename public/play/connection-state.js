import { Observable } from '../shared/observable.js';

/** How long `caught-up` is shown before it is plain `live` again, in milliseconds. */
const caughtUpShownMs = 8_000;
/** A replay is considered complete after this long, because this page does not count every kind of event. */
const replayTimeoutMs = 2_000;

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
  'privacy patched',
  'player-blocks patched',
  'game-channels patched',
]);

/** The state of the launcher's connection, and the progress of the replay of what it missed. */
export class ConnectionState extends Observable {
  #replayLeft = 0;
  #timer = 0;
  /** @type {'connecting' | 'reconnecting' | 'catching-up' | 'caught-up' | 'live'} */
  state = 'connecting';
  /** The number of events in the last replay. */
  missed = 0;

  /** @param {import('gantry-client').GantryClient} connection */
  constructor(connection) {
    super();
    for (const name of countedEvents) connection.on(name, (_record, meta) => this.#count(meta, 1));
    for (const name of ownEvents) connection.on(name, (_record, meta) => this.#count(meta, 0));
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
    this.state = isFirst ? 'live' : 'catching-up';
    if (!isFirst && replayed === 0) this.#caughtUp();
    else if (!isFirst) this.#timer = window.setTimeout(() => this.#caughtUp(), replayTimeoutMs);
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
