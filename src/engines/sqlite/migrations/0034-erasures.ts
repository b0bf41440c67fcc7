/** Players being erased. */
export const erasures = `
CREATE TABLE erasures (
  wallet TEXT PRIMARY KEY,
  due_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX erasures_by_due ON erasures(due_at, wallet);
`;
