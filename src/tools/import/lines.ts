import { GantryError } from '../../core/errors.ts';
import { holdsInfinity, jsonNestsTooDeep, maxDepth } from '../../core/schemas/json-value.ts';
import { refuseRoundedInput } from '../../core/schemas/rounded-number.ts';
import { linesOf } from '../../server/backup/game-file.ts';
import type { Findings, Place } from './source.ts';

export const notUtf8 = 'is not UTF-8: save the file in this encoding';
export const noneRead = 'no row of the file was read';
export const forNdjson = 'NDJSON in Gantry\'s own form is imported with "gantry import-from ndjson"';
const tooDeep = `nests deeper than ${maxDepth} levels`;
const tooLarge = 'has a number that is too large, such as 1e999: write it as a string';

/** An object of an NDJSON file. */
export interface Line extends Place {
  value: Record<string, unknown>;
}

/**
 * The objects of an NDJSON file. A line that is none, or has a number that a double cannot hold, is reported; so is a file
 * of another format, once.
 */
export function* objectsOf(file: string, findings: Findings): Iterable<Line> {
  let line = 0;
  let isFirst = true;
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
      const format = isFirst && error instanceof SyntaxError ? otherFormat(text) : undefined;
      if (format !== undefined) return findings.refuse({ file, line }, `${format}; ${noneRead}`);
      findings.refuse({ file, line }, error instanceof GantryError ? error.message : 'is not a JSON object');
    }
    isFirst = false;
  }
}

/** What a file is whose first line is not a JSON object; undefined if it may be NDJSON with a broken line. */
function otherFormat(line: string): string | undefined {
  const text = line.trim();
  if (text.includes('\0')) return notUtf8;
  if (text.startsWith('[')) return 'is a JSON array instead of NDJSON: write one object on each line';
  if (!text.startsWith('{'))
    return 'is not NDJSON: CSV in Gantry\'s own form is imported with "gantry import-from csv"';
  if (!/[{[,]$/.test(text)) return undefined;
  return 'is JSON over several lines instead of NDJSON: write each object on one line';
}
