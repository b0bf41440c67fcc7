/** A player in a game, who owns the data of an operation. The wallet is lowercase. */
export interface Owner {
  gameId: string;
  wallet: string;
}

/** Selects the rows of a game, or those of one of its players. */
export interface GameFilter {
  gameId: string;
  wallet?: string | undefined;
}
