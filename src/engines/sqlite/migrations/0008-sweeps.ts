/** What is swept away in the background is found without reading what is kept. */
export const sweeps = `
CREATE INDEX webhooks_removed ON webhooks(id) WHERE removed = 1;
CREATE INDEX transactions_settled ON transactions(signed_at) WHERE settled = 1;
`;
