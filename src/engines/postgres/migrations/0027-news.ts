/** News, up to where players have read them, and releases of games. */
export const news = `
CREATE TABLE news (
  id uuid PRIMARY KEY,
  game_id text COLLATE "C" NOT NULL,
  title text COLLATE "C" NOT NULL,
  body text COLLATE "C" NOT NULL,
  image text COLLATE "C" NOT NULL,
  pinned bigint NOT NULL,
  version bigint NOT NULL,
  created_at bigint NOT NULL,
  changed_at bigint NOT NULL,
  publish_at bigint NOT NULL,
  expires_at bigint NOT NULL,
  published_at bigint NOT NULL
);
CREATE INDEX news_by_place ON news (pinned, published_at, id);
CREATE INDEX news_by_game ON news (game_id, pinned, published_at, id);
CREATE INDEX news_by_publication ON news (published_at, id, game_id, expires_at);
CREATE INDEX news_by_due ON news (published_at, publish_at, id);

CREATE TABLE news_marks (
  wallet text COLLATE "C" NOT NULL,
  game_id text COLLATE "C" NOT NULL,
  published_at bigint NOT NULL,
  news_id uuid NOT NULL,
  PRIMARY KEY (wallet, game_id)
);
CREATE INDEX news_marks_by_game ON news_marks (game_id, wallet);

CREATE TABLE releases (
  game_id uuid NOT NULL,
  version text COLLATE "C" NOT NULL,
  notes text COLLATE "C" NOT NULL,
  url text COLLATE "C" NOT NULL,
  required bigint NOT NULL,
  published_at bigint NOT NULL,
  PRIMARY KEY (game_id, version)
);
CREATE INDEX releases_by_publication ON releases (game_id, published_at, version);
`;
