/** A row of the table `scores`, but for whose it is. */
export interface ScoreRow {
  id: string;
  /** Null: the server made it, and it is the id. */
  nonce: string | null;
  score: number;
  reached_at: number;
  updated_at: number;
}
