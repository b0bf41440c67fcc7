/**
 * Games that are being deleted. The reference deletes the row of a game that an earlier program deletes, which does not
 * know the table.
 */
export const gameErasures = `
CREATE TABLE game_erasures (
  game_id uuid PRIMARY KEY REFERENCES games(id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
  due_at bigint NOT NULL
);
CREATE INDEX game_erasures_by_due ON game_erasures (due_at, game_id);
`;
