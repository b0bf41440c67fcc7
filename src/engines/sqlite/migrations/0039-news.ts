/** News, up to where players have read them, and releases of games. */
export const news = `
CREATE TABLE news (
  id TEXT PRIMARY KEY,
  game_id TEXT NOT NULL,           -- '' for the installation
  title TEXT NOT NULL,
  body TEXT NOT NULL,
  image TEXT NOT NULL,
  pinned INTEGER NOT NULL,
  version INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  changed_at INTEGER NOT NULL,
  publish_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  published_at INTEGER NOT NULL
) STRICT;
CREATE INDEX news_by_place ON news(pinned, published_at, id);
CREATE INDEX news_by_game ON news(game_id, pinned, published_at, id);
CREATE INDEX news_by_publication ON news(published_at, id, game_id, expires_at);
CREATE INDEX news_by_due ON news(published_at, publish_at, id);

CREATE TABLE news_marks (
  wallet TEXT NOT NULL,
  game_id TEXT NOT NULL,           -- '' for all news
  published_at INTEGER NOT NULL,
  news_id TEXT NOT NULL,
  PRIMARY KEY (wallet, game_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX news_marks_by_game ON news_marks(game_id, wallet);

CREATE TABLE releases (
  game_id TEXT NOT NULL,
  version TEXT NOT NULL,
  notes TEXT NOT NULL,
  url TEXT NOT NULL,
  required INTEGER NOT NULL,
  published_at INTEGER NOT NULL,
  PRIMARY KEY (game_id, version)
) STRICT;
CREATE INDEX releases_by_publication ON releases(game_id, published_at, version);
`;
