/** Maximum cost of each lane's transactions on the day `spent_day` (since 1970, UTC), in wei, decimal. */
export const laneBudget = `
ALTER TABLE lanes ADD COLUMN spent_day INTEGER NOT NULL DEFAULT 0;
ALTER TABLE lanes ADD COLUMN spent_wei TEXT NOT NULL DEFAULT '0';
`;
