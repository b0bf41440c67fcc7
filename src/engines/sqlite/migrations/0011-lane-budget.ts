/** What each lane's transactions of the day `spent_day` (since 1970, UTC) may cost, in wei, decimal. */
export const laneBudget = `
ALTER TABLE lanes ADD COLUMN spent_day INTEGER NOT NULL DEFAULT 0;
ALTER TABLE lanes ADD COLUMN spent_wei TEXT NOT NULL DEFAULT '0';
`;
