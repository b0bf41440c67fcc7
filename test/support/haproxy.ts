import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { startProxy, type TestProxy } from './proxy-process.ts';

const program = '/usr/sbin/haproxy';
const shipped = new URL('../../public/docs/files/haproxy.cfg', import.meta.url);

/** Why tests that need HAProxy are skipped; null when they can run. */
export const haproxyMissing =
  spawnSync(program, ['-v']).error === undefined
    ? null
    : 'HAProxy is not installed; on Debian: apt-get install haproxy';

/** A real HAProxy in front of a node, or two, with the configuration that Gantry ships. */
export function startHaproxy(nodePort: number, otherPort = nodePort): Promise<TestProxy> {
  return startProxy({
    program,
    args: (configuration) => ['-db', '-f', configuration], // in the foreground
    async configuration(port) {
      return (await readFile(shipped, 'utf8'))
        .replace('bind :80', `bind 127.0.0.1:${port}`)
        .replace('127.0.0.1:3000', `127.0.0.1:${nodePort}`)
        .replace('127.0.0.1:3001', `127.0.0.1:${otherPort}`);
    },
    endSignal: 'SIGTERM',
  });
}
