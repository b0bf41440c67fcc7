/**
 * How many players have each game open, counted by players: one who has it open on two devices or nodes counts once. A
 * count is never negative, whatever is repeated or lost, because a player is in one game or in none.
 */
export class PlayingCounts {
  readonly #games = new Map<string, string>();
  readonly #counts = new Map<string, number>();
  readonly #onChange: (gameId: string) => void;

  /** `onChange`: called after the count of a game has changed. */
  constructor(onChange: (gameId: string) => void) {
    this.#onChange = onChange;
  }

  /** Sets the game that a player has open; null: none. */
  set(wallet: string, gameId: string | null): void {
    const before = this.#games.get(wallet) ?? null;
    if (before === gameId) return;
    if (gameId === null) this.#games.delete(wallet);
    else this.#games.set(wallet, gameId);
    if (before !== null) this.#add(before, -1);
    if (gameId !== null) this.#add(gameId, 1);
  }

  /** The number of players who have this game open. */
  of(gameId: string): number {
    return this.#counts.get(gameId) ?? 0;
  }

  /** The number of players who have a game open. */
  get players(): number {
    return this.#games.size;
  }

  /** The number of games that somebody has open. */
  get liveGames(): number {
    return this.#counts.size;
  }

  #add(gameId: string, change: number): void {
    const count = this.of(gameId) + change;
    if (count === 0) this.#counts.delete(gameId);
    else this.#counts.set(gameId, count);
    this.#onChange(gameId);
  }
}
