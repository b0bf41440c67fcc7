import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startProxy, type TestProxy } from './proxy-process.ts';

const program = '/usr/sbin/apache2';
const modules = '/usr/lib/apache2/modules';
const shipped = new URL('../../public/docs/files/apache.conf', import.meta.url);

/** Why tests that need Apache are skipped; null when they can run. */
export const apacheMissing =
  spawnSync(program, ['-v']).error === undefined && existsSync(join(modules, 'mod_proxy_http.so'))
    ? null
    : 'Apache is not installed; on Debian: apt-get install apache2';

/** A real Apache in front of a node, with the site that Gantry ships. */
export function startApache(nodePort: number): Promise<TestProxy> {
  return startProxy({
    program,
    args: (configuration) => ['-D', 'FOREGROUND', '-f', configuration],
    async configuration(port, directory) {
      const site = (await readFile(shipped, 'utf8'))
        .replace('*:80', `127.0.0.1:${port}`)
        .replace('127.0.0.1:3000', `127.0.0.1:${nodePort}`);
      return around(site, port, directory);
    },
    endSignal: 'SIGTERM',
  });
}

/** What Debian's own configuration has around a site, with paths in a directory of the test. */
function around(site: string, port: number, directory: string): string {
  const loaded = ['mpm_event', 'authz_core', 'proxy', 'proxy_http', 'headers'];
  return `
ServerRoot ${directory}
${process.getuid?.() === 0 ? 'User www-data\nGroup www-data' : ''}
PidFile ${join(directory, 'apache.pid')}
DefaultRuntimeDir ${directory}
ErrorLog ${join(directory, 'error.log')}
Listen 127.0.0.1:${port}
${loaded.map((name) => `LoadModule ${name}_module ${join(modules, `mod_${name}.so`)}`).join('\n')}
ThreadsPerChild 256
ThreadLimit 256
ServerLimit 4
MaxRequestWorkers 1024
StartServers 4
MaxSpareThreads 1024
${site}
`;
}
