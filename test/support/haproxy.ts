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

/** A real HAProxy in front of a node, with the configuration that Gantry ships. */
export function startHaproxy(nodePort: number): Promise<TestProxy> {
  return startProxy({
    program,
    args: (configuration) => ['-db', '-f', configuration], // in the foreground
    async configuration(port) {
      return (await readFile(shipped, 'utf8'))
        .replace('bind :80', `bind 127.0.0.1:${port}`)
        .replaceAll(/127\.0\.0\.1:300[01]/g, `127.0.0.1:${nodePort}`);
    },
    endSignal: 'SIGTERM',
  });
}
