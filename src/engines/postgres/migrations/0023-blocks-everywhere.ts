/** Blocks that hold in every game: rows of the nil UUID instead of a game. Launchers' sessions were for one game before. */
export const blocksEverywhere = `
CREATE INDEX player_blocks_by_pair ON player_blocks (wallet, blocked, game_id);
INSERT INTO player_blocks
  SELECT b.wallet, CAST('00000000-0000-0000-0000-000000000000' AS uuid), b.blocked, min(b.created_at)
  FROM player_blocks AS b JOIN games AS g ON g.id = b.game_id
  WHERE g.kind = 'launcher' GROUP BY b.wallet, b.blocked;
DELETE FROM player_blocks WHERE game_id IN (SELECT id FROM games WHERE kind = 'launcher');
`;
