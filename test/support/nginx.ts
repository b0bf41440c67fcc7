import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { until } from './until.ts';

/** Why tests that need nginx are skipped; null when they can run. */
export const nginxMissing =
  spawnSync('/usr/sbin/nginx', ['-v']).error === undefined
    ? null
    : 'nginx is not installed; on Debian: apt-get install nginx-light';

const files = new URL('../../public/docs/files/', import.meta.url);
const template = new URL('nginx.conf.template', files);
const tlsTemplate = new URL('nginx-tls.conf', files);

/** A certificate and its key, as files. */
export interface Certificate {
  certificate: string;
  key: string;
}

export interface TestNginx extends AsyncDisposable {
  url: string;
  /** With a certificate: the http URL, which redirects to `url`. */
  plainUrl: string;
  /** Its error log. */
  complaints(): Promise<string>;
  /** Where the requests that have ended went: a node's port, the player they named, and the path. */
  routes(): Promise<{ port: number; player: string; path: string }[]>;
}

/**
 * A real nginx in front of nodes, with the configuration that Gantry ships. One node may stand in for both. With a
 * certificate it terminates TLS. `byPlayer`: with the change that the configuration describes.
 */
export async function startNginx(
  [one, other = one]: readonly number[],
  tls?: Certificate,
  { byPlayer = false }: { byPlayer?: boolean } = {},
): Promise<TestNginx> {
  const directory = await mkdtemp(join(tmpdir(), 'gantry-nginx-'));
  const port = await freePort();
  const values: Record<string, string> = {
    GANTRY_LISTEN: `127.0.0.1:${port}${tls ? ' ssl' : ''}`,
    GANTRY_NODE_1: `127.0.0.1:${one}`,
    // nginx treats a server that is listed twice as one with twice the weight.
    GANTRY_NODE_2: `127.0.0.1:${other}`,
  };
  // As `envsubst` does in nginx's container image: variables without a value are nginx's own and stay.
  const site = (await readFile(template, 'utf8')).replaceAll(
    /\$\{(\w+)\}/g,
    (whole, name: string) => values[name] ?? whole,
  );
  const routed = byPlayer ? site.replace('hash $gantry_key', 'hash $gantry_player') : site;
  await writeFile(join(directory, 'site.conf'), routed);
  const plainPort = await freePort();
  if (tls) {
    const text = (await readFile(tlsTemplate, 'utf8'))
      .replace(/(?<=ssl_certificate +)\/[^;]+/, tls.certificate)
      .replace(/(?<=ssl_certificate_key )\/[^;]+/, tls.key)
      .replace('listen 80;', `listen 127.0.0.1:${plainPort};`);
    await writeFile(join(directory, 'tls.conf'), text);
  }
  await writeFile(join(directory, 'nginx.conf'), around(directory));
  const nginx = spawn('/usr/sbin/nginx', ['-p', directory, '-c', join(directory, 'nginx.conf')], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const gone = once(nginx, 'exit');
  const plainUrl = `http://127.0.0.1:${tls ? plainPort : port}`;
  const url = tls ? `https://127.0.0.1:${port}` : plainUrl;
  await until('nginx listening', async () => {
    if (nginx.exitCode !== null) throw new Error('nginx ended at its start');
    return fetch(plainUrl, { redirect: 'manual' }).then(
      () => true,
      () => false,
    );
  });
  return {
    url,
    plainUrl,
    complaints: () => readFile(join(directory, 'error.log'), 'utf8'),
    async routes() {
      const lines = (await readFile(join(directory, 'access.log'), 'utf8')).split('\n').slice(0, -1);
      return lines.map((line) => {
        const [address = '', player = '', path = ''] = line.split('|');
        // nginx writes a hyphen for what is missing.
        return { port: Number(address.split(':').at(-1)), player: player.replaceAll('-', ''), path };
      });
    },
    async [Symbol.asyncDispose]() {
      nginx.kill('SIGTERM'); // immediately, with its workers
      await gone;
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** What Debian's and the image's own nginx.conf have around a site, with paths in a directory of the test. */
function around(directory: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return `
daemon off;
worker_processes 2;
${process.getuid?.() === 0 ? 'user root;' : ''}
pid ${join(directory, 'nginx.pid')};
error_log ${join(directory, 'error.log')} warn;
events { worker_connections 4096; }
http {
  log_format routes '$upstream_addr|$http_x_gantry_player$arg_player|$uri';
  access_log ${join(directory, 'access.log')} routes;
  ${temporary.map((name) => `${name}_temp_path ${join(directory, name)};`).join('\n  ')}
  include ${join(directory, '[st]*.conf')};
}
`;
}
