import type { StoredEvent } from '../core/events/stream.ts';
import type { WriteTrouble } from '../core/storage/database.ts';

/** The listeners of a database, which it and its writers extend; see `Database` for what each receives. */
export class Announcer {
  readonly #onCommit: ((events: readonly StoredEvent[]) => void)[] = [];
  readonly #onWake: ((workers: readonly string[]) => void)[] = [];
  readonly #onTrouble: ((trouble: WriteTrouble | null) => void)[] = [];
  readonly #onNewEpoch: ((epoch: string) => void)[] = [];
  readonly #onEnd: ((why: string) => void)[] = [];

  onCommit(listener: (events: readonly StoredEvent[]) => void): void {
    this.#onCommit.push(listener);
  }

  onWake(listener: (workers: readonly string[]) => void): void {
    this.#onWake.push(listener);
  }

  onTrouble(listener: (trouble: WriteTrouble | null) => void): void {
    this.#onTrouble.push(listener);
  }

  onNewEpoch(listener: (epoch: string) => void): void {
    this.#onNewEpoch.push(listener);
  }

  onEnd(listener: (why: string) => void): void {
    this.#onEnd.push(listener);
  }

  /** Call this after the promises of a commit have been settled, with its events and the workers it woke. */
  announceCommit(events: readonly StoredEvent[], workers: readonly string[]): void {
    if (events.length > 0) for (const listener of this.#onCommit) listener(events);
    if (workers.length > 0) for (const listener of this.#onWake) listener(workers);
  }

  announceTrouble(trouble: WriteTrouble | null): void {
    for (const listener of this.#onTrouble) listener(trouble);
  }

  announceEnd(why: string): void {
    for (const listener of this.#onEnd) listener(why);
  }

  announceEpoch(epoch: string): void {
    for (const listener of this.#onNewEpoch) listener(epoch);
  }
}
