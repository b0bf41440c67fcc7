import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../../config.ts';
import { ConfigError } from '../../core/config-error.ts';
import type { DatabaseFiles } from '../../core/storage/database-file.ts';
import type { InspectServer } from '../../core/storage/database-server.ts';
import { checkBackupDirectory, checkDatabase, checkDirectory, checkKeys } from './directory-checks.ts';
import { error, type Finding, ok } from './finding.ts';
import { checkOpenFiles, checkPorts, checkRuntime, checkSettings, checkSqlite } from './machine-checks.ts';
import { checkChains, checkKeystore, checkPublicUrl, checkRedis } from './network-checks.ts';
import { checkServer } from './server-checks.ts';

/**
 * Checks everything that a server needs to run on this machine, whether or not one is running, without changing
 * anything. With an invalid configuration, the checks that depend on it are skipped.
 */
export async function examine(
  readConfig: () => Config,
  databases: DatabaseFiles,
  inspectServer: InspectServer,
): Promise<Finding[]> {
  const machine = [checkRuntime(process.versions.node), ...checkOpenFiles(process.report.getReport())];
  let config: Config;
  try {
    config = readConfig();
  } catch (thrown) {
    if (!(thrown instanceof ConfigError)) throw thrown;
    return [
      ...machine,
      error(
        'configuration',
        thrown.message,
        'Correct the variables; "Configuration" in the manual lists the allowed values.',
      ),
    ];
  }
  const [server, ports, redis, chains] = await Promise.all([
    checkServer(config, inspectServer),
    checkPorts(config),
    checkRedis(config),
    checkChains(config),
  ]);
  return [
    ...machine,
    ok('configuration', 'valid; gantry config shows it'),
    ...(config.databaseUrl === undefined ? checkDataDirectory(config, databases) : server),
    ...ports,
    ...checkPublicUrl(config),
    ...redis,
    ...chains,
    ...checkKeystore(config.transactions.keystore?.file),
  ];
}

/** Checks for a server on SQLite, which keeps everything in its data directory. */
function checkDataDirectory(config: Config, databases: DatabaseFiles): Finding[] {
  const directory = checkDirectory(config);
  const isUsable = directory.every(({ check, level }) => check !== 'data-directory' || level !== 'error');
  return [
    checkSqlite(databases.libraryVersion),
    checkSqliteSettings(databases),
    ...directory,
    ...(isUsable
      ? [...checkKeys(config), ...checkDatabase(config, databases), checkBackupDirectory(config)]
      : []),
  ];
}

function checkSqliteSettings(databases: DatabaseFiles): Finding {
  const scratch = mkdtempSync(join(tmpdir(), 'gantry-doctor-'));
  try {
    return checkSettings(databases.settings(join(scratch, 'scratch.db')));
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
