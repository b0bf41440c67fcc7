/** What the page of a game shows, and players' favorite games. */
export const library = `
CREATE TABLE game_details (
  game_id uuid PRIMARY KEY,
  description text COLLATE "C" NOT NULL,
  tags text COLLATE "C" NOT NULL,
  media text COLLATE "C" NOT NULL,
  age_rating text COLLATE "C" NOT NULL
);

CREATE TABLE game_favorites (
  wallet text COLLATE "C" NOT NULL,
  game_id uuid NOT NULL,
  created_at bigint NOT NULL,
  PRIMARY KEY (wallet, game_id)
);
CREATE INDEX game_favorites_by_time ON game_favorites (wallet, created_at, game_id);
CREATE INDEX game_favorites_by_game ON game_favorites (game_id, wallet);
`;
