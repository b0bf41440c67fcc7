import { isDeepStrictEqual } from 'node:util';
import { GantryError, invalidField } from '../../core/errors.ts';
import { command, type Steps, type Tx } from '../../core/storage/command.ts';
import { games } from '../games/tables.ts';
import { type ConfigChange, type ConfigEntry, maxConfigBytes, maxKeys, sizeText } from './config-entry.ts';
import { parseEntries } from './stored-config.ts';
import { configVersions, type GameConfigRow, gameConfigs } from './tables.ts';

/** How many versions are kept, and how many bytes of them; the current one always is. */
export const keptVersions = 100;
const keptBytes = 1024 * 1024;

/** Who changes a config, and why. */
export interface ConfigAuthor {
  actor: string;
  comment: string;
}

/** A config before and after a change; the same version when nothing was changed. */
export interface ChangedConfig {
  version: number;
  keys: string[];
  before: ConfigEntry[];
  after: ConfigEntry[];
}

/**
 * Changes keys of a game's config, if `ifVersion` is its version; changes nothing when all keys have these values.
 * @throws GantryError `game_unknown`, `config_changed`, `config_too_large`, `input_invalid`
 */
export const changeConfig = command(
  'changeConfig',
  function* (
    tx,
    gameId: string,
    changes: readonly ConfigChange[],
    ifVersion: number,
    author: ConfigAuthor,
  ): Steps<ChangedConfig> {
    const row = yield* lockConfig(tx, gameId, ifVersion);
    const before = parseEntries(row.entries);
    const byKey = new Map(before.map((entry) => [entry.key, entry]));
    for (const [at, change] of changes.entries()) {
      const known = byKey.get(change.key);
      if (change.removed) {
        if (!known) throw invalidField(`changes.${at}.key`, `there is no key ${change.key} to remove`);
        byKey.delete(change.key);
      } else byKey.set(change.key, changedEntry(known, change, at));
    }
    return yield* store(tx, row, { before, after: inOrder([...byKey.values()]) }, author, null);
  },
);

/**
 * Gives a game's config the content of an earlier version again, as a new version.
 * @throws GantryError `game_unknown`, `config_changed`, `config_version_unknown`
 */
export const restoreConfig = command(
  'restoreConfig',
  function* (
    tx,
    gameId: string,
    toVersion: number,
    ifVersion: number,
    author: ConfigAuthor,
  ): Steps<ChangedConfig> {
    const row = yield* lockConfig(tx, gameId, ifVersion);
    const earlier = yield* tx.get(configVersions, gameId, toVersion);
    if (!earlier) throw configVersionUnknown(toVersion);
    const contents = { before: parseEntries(row.entries), after: parseEntries(earlier.entries) };
    return yield* store(tx, row, contents, author, toVersion);
  },
);

export function configVersionUnknown(version: number): GantryError {
  return new GantryError(
    'config_version_unknown',
    `There is no version ${version} of this config: listConfigVersions lists those that are kept`,
  );
}

function* lockConfig(tx: Tx, gameId: string, ifVersion: number): Steps<GameConfigRow> {
  const [row, game] = yield* tx.all(
    tx.lock(gameConfigs, gameId, { gameId, version: 0, at: 0, entries: '[]' }),
    tx.get(games, gameId),
  );
  if (!game) throw new GantryError('game_unknown', 'There is no game with this id or slug');
  const { version } = row;
  if (version === ifVersion) return row;
  throw new GantryError(
    'config_changed',
    `This changes version ${ifVersion} of the config, but the current version is ${version}; read it first`,
    { present: { version } },
  );
}

function changedEntry(known: ConfigEntry | undefined, change: ConfigChange, at: number): ConfigEntry {
  const { key, value = known?.value, public: isPublic = known?.public ?? true } = change;
  if (value === undefined) throw invalidField(`changes.${at}.value`, `is required: ${key} is a new key`);
  return { key, value, public: isPublic, rules: change.rules ?? known?.rules ?? [] };
}

function* store(
  tx: Tx,
  row: GameConfigRow,
  { before, after }: { before: ConfigEntry[]; after: ConfigEntry[] },
  { actor, comment }: ConfigAuthor,
  restored: number | null,
): Steps<ChangedConfig> {
  const keys = changedKeys(before, after);
  if (keys.length === 0) return { version: row.version, keys, before, after };
  const entries = JSON.stringify(after);
  if (after.length > maxKeys || Buffer.byteLength(entries) > maxConfigBytes) {
    throw new GantryError('config_too_large', `The whole config must have ${sizeText}`);
  }
  const { gameId } = row;
  const changed = { gameId, version: row.version + 1, at: tx.now, entries };
  yield* trimVersions(tx, gameId, Buffer.byteLength(entries));
  tx.put(gameConfigs, changed);
  tx.insert(configVersions, { ...changed, actor, comment, keys: JSON.stringify(keys), restored });
  return { version: changed.version, keys, before, after };
}

/** Removes the oldest versions beyond what is kept, `newBytes` of which the new one will take. */
function* trimVersions(tx: Tx, gameId: string, newBytes: number): Steps<void> {
  const earlier = yield* tx.list(configVersions.byGame, [gameId], { limit: keptVersions, last: true });
  let bytes = newBytes;
  for (const [at, version] of earlier.entries()) {
    bytes += Buffer.byteLength(version.entries);
    if (at + 2 > keptVersions || bytes > keptBytes) tx.remove(configVersions, version);
  }
}

/** The keys that differ, in alphabetical order. */
function changedKeys(before: readonly ConfigEntry[], after: readonly ConfigEntry[]): string[] {
  const byKey = new Map(before.map((entry) => [entry.key, entry]));
  const keys = after.filter((entry) => !isDeepStrictEqual(byKey.get(entry.key), entry)).map(({ key }) => key);
  for (const { key } of after) byKey.delete(key);
  return [...keys, ...byKey.keys()].sort();
}

function inOrder(entries: ConfigEntry[]): ConfigEntry[] {
  return entries.sort((one, other) => (one.key < other.key ? -1 : 1));
}
