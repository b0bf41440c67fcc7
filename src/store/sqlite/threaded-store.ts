import type { StoredEvent } from '../../events/stream.ts';
import type { Retention, Store } from '../store.ts';
import { refuseDamaged } from './open-database.ts';
import { defaultRetention, SqliteStore } from './sqlite-store.ts';
import { timeMemory } from './steady-clock.ts';
import { clockIn } from './writer/clock-in.ts';
import { methods, type Part } from './writer/methods.ts';
import { Writer } from './writer/writer.ts';

export interface ThreadedStoreOptions {
  /** Where a clock that stands in for the real one keeps its time, for tests of expiry; see `clockIn`. */
  clock?: SharedArrayBuffer;
  retention?: Retention;
}

/**
 * The store on one SQLite file, for a server: writes are made in a thread of their own, reads in the caller's
 * on a connection of its own. SQLite's write-ahead log lets both go on at once, and a read sees everything
 * that was answered before it.
 */
export class ThreadedStore implements Store {
  readonly games;
  readonly players;
  readonly sessions;
  readonly scores;
  readonly states;
  readonly playSessions;
  readonly activities;
  readonly notifications;
  readonly messageChannels;
  readonly channelMembers;
  readonly messages;
  readonly rules;
  readonly actions;
  readonly chainLanes;
  readonly webhooks;
  readonly events;
  readonly audit;
  readonly diagnostics;
  readonly #reader: SqliteStore;
  readonly #writer: Writer;
  readonly #listeners: ((events: readonly StoredEvent[]) => void)[] = [];
  readonly #worried: ((trouble: string | null) => void)[] = [];

  /** @throws SchemaTooNewError, DatabaseUnusableError */
  constructor(file: string, { clock, retention = defaultRetention }: ThreadedStoreOptions = {}) {
    refuseDamaged(file);
    // Makes and upgrades the file, before the writer opens it.
    const time = timeMemory();
    this.#reader = new SqliteStore(file, { ...(clock && { clock: clockIn(clock) }), time, retention });
    this.#writer = new Writer(
      { file, clock, time, retention },
      {
        committed: () => this.#reader.lookAgain(),
        told: (events) => {
          for (const listener of this.#listeners) listener(events);
        },
        troubled: (trouble) => {
          for (const listener of this.#worried) listener(trouble);
        },
      },
    );
    this.games = this.#part('games');
    this.players = this.#part('players');
    this.sessions = this.#part('sessions');
    this.scores = this.#part('scores');
    this.states = this.#part('states');
    this.playSessions = this.#part('playSessions');
    this.activities = this.#part('activities');
    this.notifications = this.#part('notifications');
    this.messageChannels = this.#part('messageChannels');
    this.channelMembers = this.#part('channelMembers');
    this.messages = this.#part('messages');
    this.rules = this.#part('rules');
    this.actions = this.#part('actions');
    this.chainLanes = this.#part('chainLanes');
    this.webhooks = this.#part('webhooks');
    this.events = this.#part('events');
    this.audit = this.#part('audit');
    this.diagnostics = this.#part('diagnostics');
  }

  onCommit(listener: (events: readonly StoredEvent[]) => void): void {
    this.#listeners.push(listener);
  }

  onTrouble(listener: (trouble: string | null) => void): void {
    this.#worried.push(listener);
  }

  async close(): Promise<void> {
    await this.#writer.close();
    await this.#reader.close();
  }

  /** A part of the store whose methods run where `methods` says. */
  #part<Name extends Part>(name: Name): Store[Name] {
    const reader = this.#reader[name] as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>;
    const kinds = Object.entries<'read' | 'write'>(methods[name]);
    const part = kinds.map(([method, kind]) => [
      method,
      kind === 'read'
        ? (...args: unknown[]) => reader[method]?.(...args)
        : (...args: unknown[]) => this.#writer.call(name, method, args),
    ]);
    return Object.fromEntries(part);
  }
}
