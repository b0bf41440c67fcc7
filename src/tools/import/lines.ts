import { GantryError } from '../../core/errors.ts';
import { refuseRoundedInput } from '../../core/schemas/rounded-number.ts';
import { linesOf } from '../../server/backup/game-file.ts';
import type { Findings, Place } from './source.ts';

/** An object of an NDJSON file. */
export interface Line extends Place {
  value: Record<string, unknown>;
}

/** The objects of an NDJSON file. A line that is none, or has a number that would be rounded, is reported. */
export function* objectsOf(file: string, findings: Findings): Iterable<Line> {
  let line = 0;
  for (const text of linesOf(file)) {
    line++;
    if (text.trim() === '') continue;
    try {
      const value: unknown = JSON.parse(text);
      if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new SyntaxError();
      refuseRoundedInput(text);
      yield { value: value as Record<string, unknown>, file, line };
    } catch (error) {
      if (!(error instanceof SyntaxError || error instanceof GantryError)) throw error;
      findings.refuse({ file, line }, error instanceof GantryError ? error.message : 'is not a JSON object');
    }
  }
}
