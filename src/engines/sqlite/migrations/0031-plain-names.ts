/** Renames two tables and two columns. */
export const plainNames = `
ALTER TABLE told_present RENAME TO announced_present;
ALTER TABLE left_channels RENAME TO former_participants;
DROP INDEX left_channels_by_channel;
CREATE INDEX former_participants_by_channel ON former_participants(channel_id, left_seq);
ALTER TABLE actions RENAME COLUMN give_up_at TO deadline_at;
ALTER TABLE spending RENAME COLUMN given_back TO refunded;
`;
