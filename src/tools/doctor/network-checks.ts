import { openClient } from '../../cluster/redis/open-client.ts';
import { describeRefusal, permissionRemedy, tryWrite } from '../../cluster/redis/redis-availability.ts';
import { redisHosts } from '../../cluster/redis/redis-url.ts';
import type { Config } from '../../config.ts';
import { ChainClients } from '../../features/chains/chain-client.ts';
import { otherServers, serversWithoutRedis } from '../../server/server-address.ts';
import { checkAccess, statsOf } from './file-access.ts';
import { error, type Finding, found, ok, warning } from './finding.ts';
import { checkClock } from './shared-checks.ts';

const timeoutMs = 3_000;

/** Redis: reachable, writable, with its clock in sync; required by several servers. */
export async function checkRedis({ redisUrl: url, databaseUrl, dataDirectory }: Config): Promise<Finding[]> {
  if (url === undefined) {
    const servers = databaseUrl === undefined ? await otherServers(dataDirectory) : [];
    if (servers.length < 2) return [ok('redis', 'not configured: single node')];
    const { lacks, remedy } = serversWithoutRedis;
    return [
      warning(
        'redis',
        `not configured, with several servers running: ${servers.join(', ')}`,
        `${lacks} ${remedy}`,
      ),
    ];
  }
  const host = redisHosts(url);
  const redis = openClient(url, {
    lazyConnect: true,
    connectTimeout: timeoutMs,
    commandTimeout: timeoutMs,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
    sentinelRetryStrategy: () => null,
  });
  let why: string | undefined;
  redis.on('error', (thrown: Error) => {
    why ??= thrown.message;
  });
  try {
    await redis.connect();
    await tryWrite(redis);
    const [seconds, microseconds] = await redis.time();
    const theirs = Number(seconds) * 1000 + Number(microseconds) / 1000;
    return [ok('redis', `${host} is reachable`), checkClock(`Redis at ${host}`, theirs, Date.now(), false)];
  } catch (thrown) {
    if (redis.status === 'ready' && thrown instanceof Error) return [checkRefusal(host, thrown)];
    why ??= thrown instanceof Error ? thrown.message : String(thrown);
    const isUnauthorized = /WRONGPASS|NOAUTH|NOPERM/.test(why);
    return [
      error(
        'redis',
        `${host} ${isUnauthorized ? 'rejects the user or password of REDIS_URL' : `cannot be reached (${why})`}`,
        isUnauthorized
          ? 'Correct REDIS_URL: redis://user:password@host:port.'
          : 'Start Redis, correct REDIS_URL, or unset it for a single node. Without Redis, nodes keep running with delayed events and per-node presence and rate limits.',
      ),
    ];
  } finally {
    redis.disconnect();
  }
}

function checkRefusal(host: string, thrown: Error): Finding {
  const refusal = describeRefusal(thrown);
  return error(
    'redis',
    refusal === null ? `${host} cannot be reached (${thrown.message})` : `${refusal} (${host})`,
    thrown.message.startsWith('NOPERM')
      ? permissionRemedy
      : 'Set REDIS_URL to a master, or to sentinels that follow it: redis-sentinel://host:port,host:port#master.',
  );
}

/**
 * Checks each RPC server separately, so that a working one does not hide a broken one. Reported without its path, which
 * may contain a key.
 */
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
      ok('chains', `chain ${chainId} at ${host} is reachable, block ${number}`),
      checkClock(`chain ${chainId} at ${host}`, Number(timestamp) * 1000, Date.now(), true),
    ];
  } catch (thrown) {
    const isWrongChain = thrown instanceof Error && thrown.message.startsWith('the RPC server configured');
    return [
      error(
        'chains',
        isWrongChain ? `${thrown.message} (${host})` : `chain ${chainId} at ${host} cannot be reached`,
        isWrongChain
          ? 'Move the URL to the right chain in CHAINS.'
          : 'Correct the URL in CHAINS, or add a second server for this chain.',
      ),
    ];
  }
}

/** The file of an encrypted signing key. */
export function checkKeystore(file: string | undefined): Finding[] {
  if (file === undefined) return [];
  const stats = statsOf(file);
  if (stats === null)
    return [error('signers', `${file} does not exist`, 'Set SIGNER_KEYSTORE to the keystore file.')];
  const denied =
    'blockedBy' in stats
      ? checkAccess('signers', stats.blockedBy, 'enter')
      : checkAccess('signers', file, 'read', stats);
  if (denied || 'blockedBy' in stats) return found(denied);
  const mode = stats.mode & 0o777;
  return (mode & 0o077) === 0
    ? [ok('signers', `${file} is readable by its owner only`)]
    : [
        warning(
          'signers',
          `${file} is readable by other users (mode ${mode.toString(8)})`,
          `chmod 600 ${file}`,
        ),
      ];
}

/** Whether traffic between players and this server is encrypted. */
export function checkPublicUrl({
  publicUrl,
  trustedProxies,
}: Pick<Config, 'publicUrl' | 'trustedProxies'>): Finding[] {
  if (publicUrl === undefined) return [];
  const { protocol, hostname } = new URL(publicUrl);
  const isLocal = /^(localhost|127\..*|\[::1\])$/.test(hostname);
  return found(
    protocol === 'https:' || isLocal
      ? ok('public-url', publicUrl)
      : warning(
          'public-url',
          `${publicUrl} is not encrypted, so tokens can be intercepted`,
          'Put a TLS-terminating proxy in front, and set PUBLIC_URL to its https:// address.',
        ),
    protocol === 'https:' &&
      trustedProxies.length === 0 &&
      warning(
        'trust-proxy',
        'TRUST_PROXY is not set, so all players share the limits of one address, that of the proxy which serves https',
        "Set TRUST_PROXY to the proxy's address, such as loopback.",
      ),
  );
}
