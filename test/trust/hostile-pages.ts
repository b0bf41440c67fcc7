import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { DirectoryAssets } from '../../src/pages/directory-assets.ts';
import { randomWallet } from '../support/server.ts';
import { type Attack, type Count, type Size, send, type Target } from './attacking.ts';

/** Every static file and page, as browsers request them. */
const files = new DirectoryAssets().names();
const addresses = files.map((name) => `/${name.replace(/(^|\/)index\.html$/, '$1')}`);
const manualPages = files.flatMap((name) => {
  const page = /^docs\/([\w-]+)\.md$/.exec(name)?.[1];
  return page === undefined ? [] : [page === 'index' ? '/docs' : `/docs/${page}`];
});

const asBrowser = { Accept: 'text/html', 'Accept-Encoding': 'br, gzip' };

/** Visitors of the pages, who need no token. */
export const pageAttacks: Record<string, Attack> = {
  'first visitors of the manual, all at once':
    async ({ server, address }, { connections }) =>
    async (count) => {
      const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY, localAddress: address });
      const visitors = Array.from({ length: Math.min(connections, 800) }, async (_, at) => {
        const page = manualPages[at % manualPages.length];
        const { status } = await send(`${server.url}${page}`, null, at % 2 ? asBrowser : {}, agent);
        count(status);
      });
      await Promise.all(visitors);
      agent.destroy();
    },
  'first visitors of every page, all at once':
    async ({ server, address }, { connections }) =>
    async (count) => {
      const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY, localAddress: address });
      const pages = ['/', '/play', '/console', '/docs', '/docs/reference', '/demo-game', '/nowhere'];
      const visitors = Array.from({ length: Math.min(connections, 800) }, async (_, at) => {
        count((await send(`${server.url}${pages[at % pages.length]}`, null, asBrowser, agent)).status);
      });
      await Promise.all(visitors);
      agent.destroy();
    },
  "the manual's search index, over and over": async (target, size) => (count) =>
    visit(target, () => '/docs/search.json', {}, size, count),
  'every static file, over and over': async (target, size) => (count) =>
    visit(target, (at) => addresses[at % addresses.length] ?? '/', asBrowser, size, count),
  'archives of the SDKs, over and over': async (target, size) => (count) =>
    visit(target, (at) => `/sdk/${['csharp', 'gdscript', 'python', 'nothing'][at % 4]}.zip`, {}, size, count),
  'unknown paths below the manual': async (target, size) => (count) =>
    visit(target, (at) => `/docs/${at}${at % 2 ? '' : '/unknown.js'}`, asBrowser, size, count),
  'avatars of ever new wallets': async (target, size) => (count) =>
    visit(target, () => `/avatars/${randomWallet()}.svg`, {}, size, count),
};

/** Requests per second of one visitor who does not wait for answers: more than the limit of an address. */
const visitsPerSecond = 1_000;

async function visit(
  { server, address }: Target,
  pathOf: (at: number) => string,
  headers: Record<string, string>,
  { seconds }: Size,
  count: Count,
): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 64, localAddress: address });
  const sent: Promise<void>[] = [];
  const begunAt = performance.now();
  for (let at = 0; ; await sleep(1)) {
    const elapsedMs = performance.now() - begunAt;
    if (elapsedMs > seconds * 1000) break;
    for (; at < (elapsedMs / 1000) * visitsPerSecond; at++)
      sent.push(send(server.url + pathOf(at), null, headers, agent).then(({ status }) => count(status)));
  }
  await Promise.all(sent);
  agent.destroy();
}
