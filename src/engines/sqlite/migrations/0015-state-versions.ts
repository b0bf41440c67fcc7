/** Versions of states, and public states, which other players may read. */
export const stateVersions = `
ALTER TABLE states ADD COLUMN version INTEGER NOT NULL DEFAULT 1;

-- NULL: public. Those are in an index of their own, which costs private states nothing.
ALTER TABLE states ADD COLUMN is_private INTEGER DEFAULT 1;
CREATE INDEX states_public ON states(game_id, wallet, label) WHERE is_private IS NULL;

-- The highest version of a state that the player has removed.
ALTER TABLE storage_use ADD COLUMN removed_version INTEGER NOT NULL DEFAULT 0;
`;
