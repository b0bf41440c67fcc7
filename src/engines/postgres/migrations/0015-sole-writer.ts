/** Whether a lane is the sole writer: see `write-lane.ts`. */
export const soleWriter = `
ALTER TABLE write_lanes ADD COLUMN sole_writer boolean NOT NULL DEFAULT false;
`;
