import type { StateHead } from './state.ts';
import type { StateRow } from './tables.ts';

/** A state as it is stored: `json` is its canonical text, which an answer takes in as it is. */
export interface StoredState extends StateHead {
  json: string;
}

export interface StateSummary extends StateHead {
  /** Of the canonical JSON, in UTF-8. */
  bytes: number;
}

export function toStoredState({ json, ...row }: StateRow): StoredState {
  return { ...toHead(row), json };
}

/** All of a state but what is in it. */
export function toHead(row: Omit<StateRow, 'json' | 'revision'>): StateHead {
  return {
    _id: row.id,
    gameId: row.gameId,
    ipfsHash: row.ipfsHash,
    normalizedAddress: row.wallet,
    label: row.label,
    updatedAt: row.updatedAt,
    version: row.version,
    ...(row.isPrivate === null && { public: true }),
  };
}
