import { existsSync, statSync } from 'node:fs';
import { Redis } from 'ioredis';
import type { Config } from '../config.ts';
import { ChainClients } from '../rules/chain/chain-client.ts';
import { checkClock } from './clock-check.ts';
import { error, type Finding, ok, warning } from './finding.ts';

const answerWithinMs = 3_000;

/** Redis: that it answers, and the same time as this machine. */
export async function checkRedis(url: string | undefined): Promise<Finding[]> {
  if (url === undefined) return [ok('redis', 'not used: one process does everything in memory')];
  const { host } = new URL(url);
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: answerWithinMs,
    commandTimeout: answerWithinMs,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  let why: string | undefined;
  redis.on('error', (thrown: Error) => {
    why ??= thrown.message;
  });
  try {
    await redis.connect();
    const [seconds, microseconds] = await redis.time();
    const theirs = Number(seconds) * 1000 + Number(microseconds) / 1000;
    return [ok('redis', `${host} answers`), checkClock(`Redis at ${host}`, theirs, Date.now(), false)];
  } catch (thrown) {
    why ??= thrown instanceof Error ? thrown.message : String(thrown);
    const isRefused = /WRONGPASS|NOAUTH|NOPERM/.test(why);
    return [
      error(
        'redis',
        `${host} ${isRefused ? 'refuses the user or the password of REDIS_URL' : `cannot be reached (${why})`}`,
        isRefused
          ? 'Correct REDIS_URL: redis://user:password@host:port.'
          : 'Start Redis, correct REDIS_URL, or leave it empty for a single node. Nodes go on without it, but each for itself.',
      ),
    ];
  } finally {
    redis.disconnect();
  }
}

/** Every RPC server on its own, so that one which is down is not hidden by another. Said without its path, which may hold a key. */
export async function checkChains({ chains }: Pick<Config, 'chains'>): Promise<Finding[]> {
  const servers = [...chains].flatMap(([chainId, urls]) => urls.map((url) => ({ chainId, url })));
  const findings = await Promise.all(servers.map(({ chainId, url }) => checkRpcServer(chainId, url)));
  return findings.flat();
}

async function checkRpcServer(chainId: number, url: string): Promise<Finding[]> {
  const { host } = new URL(url);
  try {
    const client = await new ChainClients(new Map([[chainId, [url]]])).get(chainId);
    const { timestamp, number } = await client.getBlock({ blockTag: 'latest' });
    return [
      ok('chains', `chain ${chainId} at ${host} answers, block ${number}`),
      checkClock(`chain ${chainId} at ${host}`, Number(timestamp) * 1000, Date.now(), true),
    ];
  } catch (thrown) {
    const isOther = thrown instanceof Error && thrown.message.startsWith('the RPC server configured');
    return [
      error(
        'chains',
        isOther ? `${thrown.message} (${host})` : `chain ${chainId} at ${host} cannot be reached`,
        isOther
          ? 'Put the address under the chain it belongs to in CHAINS.'
          : 'Correct the address in CHAINS, or name a second server for this chain beside it.',
      ),
    ];
  }
}

/** The file of an encrypted signing key. */
export function checkKeystore(file: string | undefined): Finding[] {
  if (file === undefined) return [];
  if (!existsSync(file))
    return [error('signers', `${file} is not there`, 'Set SIGNER_KEYSTORE to the file of the key.')];
  const mode = statSync(file).mode & 0o777;
  return (mode & 0o077) === 0
    ? [ok('signers', `${file} is readable by its owner only`)]
    : [
        warning(
          'signers',
          `${file} can be read by other users (mode ${mode.toString(8)})`,
          `chmod 600 ${file}`,
        ),
      ];
}

/** Whether what passes between players and this server can be read on the way. */
export function checkPublicUrl(url: string | undefined): Finding[] {
  if (url === undefined) return [];
  const { protocol, hostname } = new URL(url);
  const isLocal = /^(localhost|127\..*|\[::1\])$/.test(hostname);
  return protocol === 'https:' || isLocal
    ? [ok('public-url', url)]
    : [
        warning(
          'public-url',
          `${url} is not encrypted, so tokens can be read on the way`,
          'Put a proxy that ends TLS in front, and set PUBLIC_URL to its https:// address.',
        ),
      ];
}
