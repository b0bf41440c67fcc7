import { type RowOf, table } from '../../core/storage/table.ts';

const configColumns = {
  gameId: 'uuid',
  /** 0: nothing was ever set. */
  version: 'int',
  at: 'ms',
  /** `ConfigEntry`s by key. */
  entries: 'json',
} as const;

/** What games' clients and servers read. */
export const gameConfigs = table('game_configs', configColumns, {
  key: ['gameId'],
  of: { game: 'gameId' },
  cachedByWriter: true,
  cacheable: 'lists',
});
export type GameConfigRow = RowOf<typeof configColumns>;

const versionColumns = {
  ...configColumns,
  /** The actor in the audit log. */
  actor: 'text',
  comment: 'text',
  /** The keys changed since the previous version. */
  keys: 'json',
  /** The version whose content it has again, when it was rolled back. */
  restored: 'int?',
} as const;

/** The latest versions of each game's config, with the current one. */
export const configVersions = table('config_versions', versionColumns, {
  key: ['gameId', 'version'],
  indexes: { byGame: { on: ['gameId', 'version'] } },
  of: { game: 'gameId' },
});
export type ConfigVersionRow = RowOf<typeof versionColumns>;
