/** A player in a game: whose data an operation is about. The wallet is lowercase. */
export interface Owner {
  gameId: string;
  wallet: string;
}

/** A game's rows, or one player's in it. */
export interface GameFilter {
  gameId: string;
  wallet?: string | undefined;
}
