/** Whether a lane is the only one that may write: see `write-lane.ts`. */
export const soleWriter = `
ALTER TABLE write_lanes ADD COLUMN sole_writer boolean NOT NULL DEFAULT false;
`;
