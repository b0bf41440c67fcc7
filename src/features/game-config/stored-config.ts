import { LRUCache } from 'lru-cache';
import { type ConfigEntry, configEntries } from './config-entry.ts';
import type { GameConfigRow } from './tables.ts';

/** A game's config; version 0: nothing was ever set. */
export interface GameConfig {
  version: number;
  /** When it was set, in Unix milliseconds. */
  at: number;
  entries: readonly ConfigEntry[];
}

const noConfig: GameConfig = { version: 0, at: 0, entries: [] };

/** Parsed entries by game, with their source text: rules read them with every trigger. */
const parsed = new LRUCache<string, { text: string; entries: readonly ConfigEntry[] }>({ max: 1_000 });

export function toConfig(row: GameConfigRow | undefined): GameConfig {
  if (!row) return noConfig;
  let cached = parsed.get(row.gameId);
  if (cached?.text !== row.entries) {
    cached = { text: row.entries, entries: parseEntries(row.entries) };
    parsed.set(row.gameId, cached);
  }
  return { version: row.version, at: row.at, entries: cached.entries };
}

export function parseEntries(text: string): ConfigEntry[] {
  return configEntries.parse(JSON.parse(text));
}
