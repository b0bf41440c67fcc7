/** Players being erased. */
export const erasures = `
CREATE TABLE erasures (
  wallet text COLLATE "C" NOT NULL,
  due_at bigint NOT NULL,
  PRIMARY KEY (wallet)
);
CREATE INDEX erasures_by_due ON erasures (due_at, wallet);
`;
