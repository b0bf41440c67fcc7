/** With the type in the indexes, a page of a feed of one type is found without reading the rows before it. */
export const feedByType = `
DROP INDEX activities_by_time;
DROP INDEX activities_by_game;
DROP INDEX activities_by_wallet;
CREATE INDEX activities_by_time ON activities(timestamp, id, type);
CREATE INDEX activities_by_game ON activities(game_id, timestamp, id, type);
CREATE INDEX activities_by_wallet ON activities(wallet, timestamp, id, type);
`;
