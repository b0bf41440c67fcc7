import { GantryError } from '../../core/errors.ts';
import type { ImportedOf, ImportedRecord } from '../../features/player-import/record.ts';
import { readState } from '../../features/states/state.ts';
import type { Place } from './source.ts';

/** A checked record, and where it is from. */
export type Checked<Record = ImportedRecord> = Place & { record: Record };

const isOf =
  <Type extends ImportedRecord['type']>(type: Type) =>
  (one: Checked): one is Checked<ImportedOf<Type>> =>
    one.record.type === type;
export const isPlayer = isOf('player');
export const isScore = isOf('score');
export const isState = isOf('state');
export const isFriend = isOf('friend');
export const isBlock = isOf('block');

/** A record that was kept as text. */
export function fromText(text: string): Checked {
  return JSON.parse(text) as Checked;
}

/** Why a record cannot be imported that has the right form; undefined if it can. */
export function reasonAgainst(record: ImportedRecord, wholeScores: boolean): string | undefined {
  if (record.type === 'score' && wholeScores && !Number.isSafeInteger(record.score)) {
    return `score: is ${record.score}, and the game's scores are whole numbers`;
  }
  if (record.type !== 'state') return undefined;
  try {
    readState(record.state);
    return undefined;
  } catch (error) {
    if (error instanceof GantryError) return error.message;
    throw error;
  }
}
