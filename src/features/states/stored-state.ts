import type { StateHead } from './state.ts';
import type { StateRow } from './tables.ts';

/** A state as stored: `json` is its canonical text, which responses include verbatim. */
export interface StoredState extends StateHead {
  json: string;
}

export interface StateSummary extends StateHead {
  /** Size of the canonical JSON in UTF-8. */
  bytes: number;
}

export function toStoredState({ json, ...row }: StateRow): StoredState {
  return { ...toHead(row), json };
}

/** A state without its content. */
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
