import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Config, ConfigError } from '../config.ts';
import type { DatabaseFiles } from '../store/database-file.ts';
import { checkDatabase, checkDirectory, checkKeys } from './directory-checks.ts';
import { error, type Finding, ok } from './finding.ts';
import { checkOpenFiles, checkPort, checkRuntime, checkSettings, checkSqlite } from './machine-checks.ts';
import { checkChains, checkKeystore, checkPublicUrl, checkRedis } from './network-checks.ts';

/**
 * Looks at everything that a server needs to run well here, whether or not one is running, and changes
 * nothing. What cannot be looked at because the configuration is wrong is left out.
 */
export async function examine(readConfig: () => Config, databases: DatabaseFiles): Promise<Finding[]> {
  const machine = [
    checkRuntime(process.versions.node),
    checkSqlite(databases.libraryVersion),
    ...checkOpenFiles(process.report.getReport()),
  ];
  let config: Config;
  try {
    config = readConfig();
  } catch (thrown) {
    if (!(thrown instanceof ConfigError)) throw thrown;
    return [
      ...machine,
      error('configuration', thrown.message, 'Correct the variables; README.md lists what each may be.'),
    ];
  }
  const [port, redis, chains] = await Promise.all([
    checkPort(config),
    checkRedis(config.redisUrl),
    checkChains(config),
  ]);
  return [
    ...machine,
    ok('configuration', 'can be used; gantry config shows it'),
    settingsHere(databases),
    ...checkDirectory(config),
    ...checkKeys(config),
    ...checkDatabase(config, databases),
    port,
    ...checkPublicUrl(config.publicUrl),
    ...redis,
    ...chains,
    ...checkKeystore(config.transactions.keystore?.file),
  ];
}

function settingsHere(databases: DatabaseFiles): Finding {
  const scratch = mkdtempSync(join(tmpdir(), 'gantry-doctor-'));
  try {
    return checkSettings(databases.settings(join(scratch, 'scratch.db')));
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
