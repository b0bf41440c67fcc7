import { Observable } from '../../shared/observable.js';

/** @typedef {import('gantry-client').OperationOutput<'getMaintenance'>['maintenance'][number]} MaintenanceRecord */

/** The longest time that a browser's timer takes, in milliseconds. */
const maxTimerMs = 2 ** 31 - 1;

/** The current and planned maintenance of all games and of those that have been opened. */
export class Maintenance extends Observable {
  #connection;
  #unsubscribe;
  #timer = 0;
  /** By game id; of all games by null. @type {Map<string | null, MaintenanceRecord>} */
  #records = new Map();

  /** @param {import('gantry-client').GantryClient} connection */
  constructor(connection) {
    super();
    this.#connection = connection;
    this.#unsubscribe = connection.on('maintenance patched', (record) => this.#put([record]));
  }

  close() {
    this.#unsubscribe();
    clearTimeout(this.#timer);
  }

  /** Reads that of all games, and of one; also after a reconnect. @param {string | undefined} gameId */
  async load(gameId) {
    const answer = await this.#connection.call('getMaintenance', gameId ? { gameId } : {}).catch(() => null);
    if (answer === null) return;
    for (const scope of [null, gameId]) if (scope !== undefined) this.#records.delete(scope);
    this.#put(answer.maintenance);
  }

  /** That of all games and of a game, the earliest first. @param {string | undefined} gameId */
  of(gameId) {
    const now = Date.now();
    return [...this.#records.values()]
      .filter((one) => (one.gameId === null || one.gameId === gameId) && one.until > now)
      .toSorted((one, other) => one.from - other.from);
  }

  /** @param {readonly MaintenanceRecord[]} records */
  #put(records) {
    for (const record of records) this.#records.set(record.gameId, record);
    this.#showChange();
  }

  /** Shows the change when one begins or ends. */
  #showChange() {
    this.changed();
    clearTimeout(this.#timer);
    const now = Date.now();
    const next = Math.min(
      ...[...this.#records.values()].flatMap(({ from, until }) => [from, until]).filter((time) => time > now),
    );
    if (next === Number.POSITIVE_INFINITY) return;
    this.#timer = window.setTimeout(() => this.#showChange(), Math.min(next - now + 50, maxTimerMs));
  }
}
