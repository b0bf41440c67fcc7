import type { Page, Paged } from '../../core/schemas/paging.ts';
import { query, type ReadSteps } from '../../core/storage/query.ts';
import { players } from '../players/tables.ts';
import { type GameConfig, parseEntries, toConfig } from './stored-config.ts';
import { type ConfigVersionRow, configVersions, gameConfigs } from './tables.ts';

/** Maximum length of all cached configs, in UTF-16 units of JSON. */
const maxCachedLength = 16 * 1024 * 1024;

/** A game's config; the same object while it has not changed. Runs with every `getConfig`. */
export const findConfig = query(
  'findConfig',
  function* (read, gameId: string): ReadSteps<GameConfig> {
    return toConfig(yield* read.get(gameConfigs, gameId));
  },
  {
    max: maxCachedLength,
    keyOf: (gameId) => gameId,
    weightOf: (config) => JSON.stringify(config).length,
  },
);

/** What identifies a player in cohorts. */
export const findCohortId = query('findCohortId', function* (read, wallet: string): ReadSteps<string> {
  return (yield* read.get(players, wallet))?.userId ?? wallet;
});

/** A version that is kept; null when there is none. */
export const findConfigVersion = query(
  'findConfigVersion',
  function* (read, gameId: string, version: number): ReadSteps<ReturnType<typeof toVersion> | null> {
    const row = yield* read.get(configVersions, gameId, version);
    return row ? toVersion(row) : null;
  },
);

/** The versions of a game's config that are kept, newest first. */
export const listVersions = query(
  'listVersions',
  function* (
    read,
    gameId: string,
    { limit, skip }: Page,
  ): ReadSteps<Paged<Omit<ReturnType<typeof toVersion>, 'entries'>>> {
    const total = yield* read.count(configVersions.byGame, [gameId]);
    const rows = yield* read.list(configVersions.byGame, [gameId], { limit, skip, last: true });
    return { total, rows: rows.map((row) => summaryOf(row)) };
  },
);

function summaryOf({ version, at, actor, comment, keys, restored }: ConfigVersionRow) {
  return { version, at, actor, comment, keys: JSON.parse(keys) as string[], restored };
}

function toVersion(row: ConfigVersionRow) {
  return { ...summaryOf(row), entries: parseEntries(row.entries) };
}
