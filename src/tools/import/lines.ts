import { GantryError } from '../../core/errors.ts';
import { holdsInfinity, jsonNestsTooDeep, maxDepth } from '../../core/schemas/json-value.ts';
import { refuseRoundedInput } from '../../core/schemas/rounded-number.ts';
import { linesOf } from '../../server/backup/game-file.ts';
import type { Findings, Place } from './source.ts';

export const notUtf8 = 'is not UTF-8: save the file in this encoding';
const tooDeep = `nests deeper than ${maxDepth} levels`;
const tooLarge = 'has a number that is too large, such as 1e999: write it as a string';

/** An object of an NDJSON file. */
export interface Line extends Place {
  value: Record<string, unknown>;
}

/** The objects of an NDJSON file. A line that is none, or has a number that a double cannot hold, is reported. */
export function* objectsOf(file: string, findings: Findings): Iterable<Line> {
  let line = 0;
  for (const text of linesOf(file)) {
    line++;
    if (text === undefined) findings.refuse({ file, line }, notUtf8);
    if (text === undefined || text.trim() === '') continue;
    try {
      // What is nested within reason is checked with its record; more would overflow the stack.
      if (jsonNestsTooDeep(Buffer.from(text), 2 * maxDepth)) throw new GantryError('body_too_deep', tooDeep);
      const value: unknown = JSON.parse(text);
      if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new SyntaxError();
      refuseRoundedInput(text);
      if (holdsInfinity(value)) throw new GantryError('number_not_exact', tooLarge);
      yield { value: value as Record<string, unknown>, file, line };
    } catch (error) {
      if (!(error instanceof SyntaxError || error instanceof GantryError)) throw error;
      findings.refuse({ file, line }, error instanceof GantryError ? error.message : 'is not a JSON object');
    }
  }
}
