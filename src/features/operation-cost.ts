import { grouped } from '../core/schemas/grouped.ts';

/**
 * How many calls of its kind a call counts as against the rate limits, for operations whose work grows with their
 * input. Measured: one is about the work of the simplest read (or write), which takes 0.1 ms including its transport.
 */
export interface Cost<In> {
  /** Completes the sentence "A call counts as …", for the documents. */
  readonly text: string;
  /** Rounded up, and brought to 1–100. It must not depend on anything but the input. */
  of(input: In): number;
}

/** A cost whose input's type was checked by `defineOperation`. */
export interface AnyCost {
  readonly text: string;
  of(input: object): number;
}

/** Skipping this many rows is as much work as the simplest read. */
const skippedPerRead = 2_000;
/**
 * The most that a call counts as: half of what a caller may do at once. Costs follow from the input, which can name a
 * page far beyond the end: without this bound, one such call would use up what a whole game may do.
 */
const maxCost = 100;

/** The cost of an operation that always does more work than others. */
export function fixedCost(kind: 'read' | 'write', calls: number): Cost<object> {
  return { text: `${calls} ${kind}s`, of: () => calls };
}

/** The cost of a read of up to `limit` rows, `perRead` of which are as much work as the simplest read. */
export function rowsCost(perRead: number): Cost<{ limit: number }> {
  return {
    text: `one read for every ${perRead} rows of \`limit\``,
    of: ({ limit }) => limit / perRead,
  };
}

/** As `rowsCost`, for a list whose skipped rows are read too. */
export function pageCost(perRead: number): Cost<{ limit: number; skip: number }> {
  return {
    text: `one read for every ${perRead} rows of \`limit\`, and one more for every ${grouped(skippedPerRead)} of \`skip\``,
    of: ({ limit, skip }) => Math.ceil(limit / perRead) + skippedCost(skip),
  };
}

function skippedCost(skip: number): number {
  return Math.floor(skip / skippedPerRead);
}

/** The number of calls that a call with this parsed input counts as, 1–100. */
export function callsOf(cost: AnyCost | undefined, input: object): number {
  return cost ? Math.min(maxCost, Math.max(1, Math.ceil(cost.of(input)))) : 1;
}
