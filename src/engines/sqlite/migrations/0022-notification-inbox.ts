/** Notifications can be listed and marked as read, and can expire. */
export const notificationInbox = `
ALTER TABLE notifications ADD COLUMN read_at INTEGER;
ALTER TABLE notifications ADD COLUMN expires_at INTEGER;

-- Finds what the one on the wallet alone did, and the inbox in its order.
DROP INDEX notifications_by_wallet;
CREATE INDEX notifications_by_inbox ON notifications(wallet, created_at, id);
CREATE INDEX notifications_unread ON notifications(wallet, game_id, event_seq) WHERE read_at IS NULL;
CREATE INDEX notifications_by_expiry ON notifications(expires_at) WHERE expires_at IS NOT NULL;
`;
