/** Whether a lane is the only one that writes: see `write-lane.ts`. */
export const loneWriter = `
ALTER TABLE write_lanes ADD COLUMN alone boolean NOT NULL DEFAULT false;
`;
