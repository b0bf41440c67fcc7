import type { SealedSecret } from './store.ts';

/** One record of a game on its way: of which kind, and its fields as plain values. */
export interface GameRecord {
  type: string;
  row: Record<string, string | number | null>;
}

/** A game's secret in the clear. */
export interface SecretRecord {
  secret: string;
  createdAt: number;
  expiresAt: number | null;
}

/** Moves a game from one database into another. For the command line: it holds the thread while it works. */
export interface GameTransfer {
  /** Records fit a database of the same version only. */
  readonly schemaVersion: number;
  /** How many records there will be, about. */
  count(gameId: string): number;
  /** Actions that wait to be carried out, which are not moved. */
  waitingActions(gameId: string): number;
  /** Everything of a game as of one moment, the game itself first; with `openSecret` its secrets too. */
  records(gameId: string, openSecret: ((sealed: string) => string) | null): Iterable<GameRecord>;
  /**
   * Puts a game in, wholly or not at all. Without secrets among the records it gets the new one.
   * @throws DatabaseUnusableError when it is there already, or the records are not those of one game
   */
  insert(
    records: () => Iterable<GameRecord>,
    options: { slug: string | undefined; seal(secret: string): SealedSecret; newSecret: string },
  ): Promise<{ gameId: string; secrets: number }>;
}
