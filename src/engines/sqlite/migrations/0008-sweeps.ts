/** Indexes with which background clean-up finds its rows without reading those that are retained. */
export const sweeps = `
CREATE INDEX webhooks_removed ON webhooks(id) WHERE removed = 1;
CREATE INDEX transactions_settled ON transactions(signed_at) WHERE settled = 1;
`;
