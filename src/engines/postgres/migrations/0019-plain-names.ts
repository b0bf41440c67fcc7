/** Renames two tables, an index and two columns. */
export const plainNames = `
ALTER TABLE told_present RENAME TO announced_present;
ALTER INDEX told_present_pkey RENAME TO announced_present_pkey;
ALTER TABLE left_channels RENAME TO former_participants;
ALTER INDEX left_channels_pkey RENAME TO former_participants_pkey;
ALTER INDEX left_channels_by_channel RENAME TO former_participants_by_channel;
ALTER TABLE actions RENAME COLUMN give_up_at TO deadline_at;
ALTER TABLE spending RENAME COLUMN given_back TO refunded;
`;
