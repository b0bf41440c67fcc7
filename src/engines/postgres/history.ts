import { randomBytes } from 'node:crypto';
import type { Connection } from './connection.ts';

/** Replaces the epoch, unless another node has done so since `epoch`; returns the current one. */
export async function renameHistory(runner: Pick<Connection, 'run'>, epoch: string): Promise<string> {
  const renamed = randomBytes(8).toString('hex');
  await runner.run('UPDATE history SET epoch = $1 WHERE epoch = $2', [renamed, epoch]);
  const { rows } = await runner.run<{ epoch: string }>('SELECT epoch FROM history');
  return rows[0]?.epoch ?? renamed;
}
