/** What games' clients read while they run, and its latest versions. */
export const gameConfig = `
CREATE TABLE game_configs (
  game_id uuid PRIMARY KEY,
  version bigint NOT NULL,
  at bigint NOT NULL,
  entries text COLLATE "C" NOT NULL
);

CREATE TABLE config_versions (
  game_id uuid NOT NULL,
  version bigint NOT NULL,
  at bigint NOT NULL,
  entries text COLLATE "C" NOT NULL,
  actor text COLLATE "C" NOT NULL,
  comment text COLLATE "C" NOT NULL,
  keys text COLLATE "C" NOT NULL,
  restored bigint,
  PRIMARY KEY (game_id, version)
);
`;
