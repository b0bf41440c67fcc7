import type { StateRecord } from './state.ts';
import type { StateRow } from './tables.ts';

/** A state as it is stored: `json` is its canonical text, which an answer takes in as it is. */
export interface StoredState extends Omit<StateRecord, 'state'> {
  json: string;
}

export interface StateSummary extends Omit<StateRecord, 'state'> {
  /** Of the canonical JSON, in UTF-8. */
  bytes: number;
}

export function toStoredState({ json, ...row }: StateRow): StoredState {
  return { ...toSummary(row), json };
}

/** All of a state but what is in it. */
export function toSummary(row: Omit<StateRow, 'json'>): Omit<StateRecord, 'state'> {
  return {
    _id: row.id,
    gameId: row.gameId,
    ipfsHash: row.ipfsHash,
    normalizedAddress: row.wallet,
    label: row.label,
    updatedAt: row.updatedAt,
  };
}
