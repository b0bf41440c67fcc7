import { basename } from 'node:path';
import { GantryError } from '../../core/errors.ts';
import { refuseRoundedText } from '../../core/schemas/rounded-number.ts';
import { rowsOf } from './delimited.ts';
import { forNdjson, objectsOf } from './lines.ts';
import { byName, type Source } from './source.ts';

/** NDJSON in the form of `importedRecord`, but for states, whose JSON is a value. */
export const ndjson: Source = function* (files, findings) {
  for (const file of files) {
    for (const { value, ...place } of objectsOf(file, findings)) {
      const { type, state } = value;
      yield { record: type === 'state' ? { ...value, state: JSON.stringify(state) } : value, ...place };
    }
  }
};

/** The types of the files, with the columns that they need. */
const files = byName<{ type: string; needed: readonly string[] }>({
  players: { type: 'player', needed: ['id'] },
  leaderboards: { type: 'leaderboard', needed: ['name'] },
  scores: { type: 'score', needed: ['player', 'score'] },
  states: { type: 'state', needed: ['player', 'label', 'state'] },
  friends: { type: 'friend', needed: ['player', 'friend'] },
  blocks: { type: 'block', needed: ['player', 'blocked'] },
});

/** CSV files with the fields of `importedRecord` as columns: `scores.csv`, or `scores-2.csv`. An empty field is omitted. */
export const csv: Source = function* (given, findings) {
  for (const file of given) {
    const known = files.get(/^[a-z]+/.exec(basename(file))?.[0] ?? '');
    if (!known) {
      const isJson = /\.(ndjson|jsonl?)$/i.test(file);
      const reason = isJson
        ? `is not CSV: ${forNdjson}`
        : `is none of ${[...files.keys()].join('.csv, ')}.csv`;
      findings.leaveOut(basename(file), reason);
      continue;
    }
    for (const { row, ...place } of rowsOf(file, findings, known.needed)) {
      const given = Object.fromEntries(Object.entries(row).filter(([, value]) => value !== ''));
      const { metadata, public: isPublic, ...record } = given;
      const inexact = metadata === undefined ? undefined : roundedIn(metadata, 'metadata');
      if (inexact !== undefined) {
        findings.refuse(place, inexact);
        continue;
      }
      const parsed = metadata === undefined ? {} : { metadata: jsonOf(metadata) };
      const shared = isPublic === undefined ? {} : { public: /^(true|t|1)$/i.test(isPublic) };
      yield { record: { ...record, ...parsed, ...shared, type: known.type }, ...place };
    }
  }
};

/** Which number of a JSON text would be rounded; undefined for none, and for a text that is no JSON. */
export function roundedIn(text: string, field: string): string | undefined {
  if (typeof jsonOf(text) !== 'object') return undefined;
  try {
    refuseRoundedText(text, field);
    return undefined;
  } catch (error) {
    if (error instanceof GantryError) return error.message;
    throw error;
  }
}

/** A text that is no JSON stays one, for the schema to refuse. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
