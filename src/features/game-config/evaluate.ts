import { createHash } from 'node:crypto';
import type { Owner } from '../../core/schemas/owner.ts';
import type { Lookup, LookupSteps } from '../../core/storage/lookup.ts';
import { players } from '../players/tables.ts';
import { type ConfigEntry, type ConfigRule, isInRange } from './config-entry.ts';
import { toConfig } from './stored-config.ts';
import { gameConfigs } from './tables.ts';

/** Whom a config is evaluated for; null: not known, and rules that depend on it do not apply. */
export interface ConfigReader {
  wallet: string | null;
  /** Identifies the player in cohorts: the user id, which a guest keeps with a wallet; the wallet of who is no player yet. */
  cohortId: string | null;
  gameVersion: string | null;
  label: string | null;
}

/** The value of a key for a reader. */
export function valueFor({ key, value, rules }: ConfigEntry, reader: ConfigReader): unknown {
  const rule = rules.find((one) => applies(key, one, reader));
  return rule ? rule.value : value;
}

function applies(
  key: string,
  { percent, label, version, wallets }: ConfigRule,
  reader: ConfigReader,
): boolean {
  if (label !== undefined && label !== reader.label) return false;
  if (version && !isInRange(version, reader.gameVersion)) return false;
  if (wallets && (reader.wallet === null || !wallets.includes(reader.wallet))) return false;
  if (percent === undefined) return true;
  return reader.cohortId !== null && cohortOf(key, reader.cohortId) < percent;
}

/**
 * A player's place in the cohorts of a key, from 0 to 100: it depends on nothing else, so that a share that grows keeps
 * its players, and the shares of different keys are independent.
 */
export function cohortOf(key: string, cohortId: string): number {
  const hash = createHash('sha256').update(`${key}\n${cohortId}`).digest();
  return (hash.readUIntBE(0, 6) / 2 ** 48) * 100;
}

/** The value of a key for a player, whatever build the player has; undefined when there is no such key. */
export function* configValueOf<Yielded>(
  from: Lookup<Yielded>,
  { gameId, wallet }: Owner,
  key: string,
): LookupSteps<Yielded, unknown> {
  const { entries } = toConfig(yield* from.get(gameConfigs, gameId));
  const entry = entries.find((one) => one.key === key);
  if (!entry || entry.rules.length === 0) return entry?.value;
  const cohortId = (yield* from.get(players, wallet))?.userId ?? wallet;
  return valueFor(entry, { wallet, cohortId, gameVersion: null, label: null });
}
