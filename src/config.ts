import { join, resolve } from 'node:path';
import proxyAddr from 'proxy-addr';
import { z } from 'zod';
import { redisUrl } from './cluster/redis/redis-url.ts';
import { ConfigError } from './core/config-error.ts';
import type { Retention } from './core/events/retention.ts';
import { describeIssue } from './core/schemas/describe-issue.ts';
import { isOrigin, webUrl } from './core/schemas/web-url.ts';
import { withSettingFiles } from './core/setting-files.ts';
import { defaultGameStorageQuota } from './core/storage/command.ts';
import { chainRpcs, signerKeys } from './features/chains/chain-settings.ts';
import type { ChainRpcs } from './features/chains/contract-wallets.ts';
import type { TransactionSettings } from './features/chains/transaction-settings.ts';
import { maxGameStorageMegabytes } from './features/games/game.ts';
import type { GuestSettings } from './features/players/guest-settings.ts';
import { defaultStorageQuota } from './features/storage-quota/game-storage.ts';
import { type AllowedHosts, allowedHosts, noHosts } from './features/webhooks/allowed-hosts.ts';

const mebibyte = 1024 * 1024;
const dayMs = 24 * 60 * 60 * 1000;
const durationDays = z.coerce.number().positive().max(365);
const wholeNumber = (min: number, max: number) => z.coerce.number().int().min(min).max(max);
const port = wholeNumber(0, 65_535);

function parseProxies(text: string, context: z.RefinementCtx): string[] {
  const proxies = text.split(',').map((one) => one.trim());
  try {
    // A bare number would be parsed as an address (0.0.0.1), which is never intended.
    if (proxies.some((one) => /^\d+$/.test(one))) throw new Error('a number is not an address');
    proxyAddr.compile(proxies);
    return proxies;
  } catch {
    context.addIssue({
      code: 'custom',
      message:
        'must be addresses, subnets (10.0.0.0/8), loopback, linklocal or uniquelocal, separated by commas',
    });
    return z.NEVER;
  }
}

/** Every environment variable Gantry reads. public/docs/configuration.md lists them; a test compares the two. */
export const environment = z.object({
  HOST: z.string().min(1).default('127.0.0.1').describe('Address to listen on'),
  PORT: port.default(3000).describe('Port to listen on; 0 chooses a free port'),
  DATA_DIR: z.string().min(1).default('./data').describe('Data directory, with the database and the keys'),
  BACKUP_DIR: z
    .string()
    .min(1)
    .optional()
    .describe('Directory of the backups that the server makes; unset: `backups` in the data directory'),
  DATABASE_URL: z
    .url({
      protocol: /^postgres(ql)?$/,
      error: 'must be postgres://user:password@host/database, with special characters percent-encoded',
    })
    .optional()
    .describe('PostgreSQL for nodes on several machines, postgres://…; unset: SQLite in the data directory'),
  PUBLIC_URL: webUrl
    // Pages, sockets and SDKs use paths from the root.
    .refine(
      isOrigin,
      'must have no path: Gantry needs a host name of its own, as in https://gantry.example.org',
    )
    .transform((url) => url.replace(/\/+$/, ''))
    .optional()
    .describe('Public URL of the server, when it differs from http://HOST:PORT'),
  REDIS_URL: redisUrl.optional().describe('Redis shared by several nodes, redis://…; unset: single node'),
  EVENT_RETENTION_DAYS: durationDays
    .default(7)
    .describe('How long events are kept for replay, and finished actions in the queue, in days'),
  EVENT_RETENTION_COUNT: z.coerce
    .number()
    .int()
    .min(1)
    .default(10_000)
    .describe('Maximum number of events kept per stream'),
  NOTIFICATION_DAYS: durationDays
    .default(30)
    .describe(
      'How long notifications that were sent without an expiry stay in the inbox once delivered to a launcher, in days',
    ),
  IDEMPOTENCY_KEY_HOURS: z.coerce
    .number()
    .min(1)
    .max(720)
    .default(24)
    .describe('How long the answer to an idempotency key is kept, in hours'),
  METRICS_PORT: port.optional().describe('Separate port for `/metrics`, without a token; unset: none'),
  METRICS_HOST: z.string().min(1).default('127.0.0.1').describe('Address that METRICS_PORT listens on'),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info')
    .describe('Minimum log level (JSON lines on standard error)'),
  GANTRY_DEMO: z.enum(['on', 'off']).default('on').describe('`off`: do not create demo data on first start'),
  ADMIN_TOKEN: z
    .string()
    // The characters that `Authorization: Bearer <token>` can carry.
    .regex(/^[\x21-\x7e]{16,512}$/, 'must be 16 to 512 characters of printable ASCII, without spaces')
    .optional()
    .describe(
      'Admin token; unset: created and printed on first start, its hash stored in the data directory',
    ),
  GANTRY_SECRET_KEY: z
    .string()
    .regex(/^[0-9a-f]{64}$/i, 'must be 64 hex digits')
    .optional()
    .describe('Encryption key of the game secrets, 64 hex digits; unset: created in the data directory'),
  CHAINS: chainRpcs
    .optional()
    .describe(
      'RPC servers by chain ID for contract wallets and rules, as JSON: `{"1":["https://…"]}`; not needed for EOA wallets',
    ),
  SIGNERS: signerKeys
    .optional()
    .describe('Private keys that sign the transactions of rules, as JSON by name: `{"default":"0x…"}`'),
  SIGNER_KEYSTORE: z
    .string()
    .min(1)
    .optional()
    .describe('Keystore file (Web3 Secret Storage, version 3) of another key: the signer `keystore`'),
  SIGNER_KEYSTORE_PASSWORD: z.string().min(1).optional().describe('Password of the keystore file'),
  CHAIN_CONFIRMATIONS: z.coerce
    .number()
    .int()
    .min(1)
    .max(1_000)
    .default(3)
    .describe('Confirmations after which a transaction is final, including its own block'),
  CHAIN_STUCK_SECONDS: z.coerce
    .number()
    .positive()
    .max(86_400)
    .default(60)
    .describe('Seconds until an unmined transaction is resent with higher fees'),
  CHAIN_POLL_MS: z.coerce
    .number()
    .int()
    .min(20)
    .max(60_000)
    .default(1_000)
    .describe('Polling interval for the status of transactions, in milliseconds'),
  CHAIN_MAX_GAS: z.coerce
    .number()
    .int()
    .min(21_000)
    .max(1_000_000_000)
    .default(500_000)
    .describe('Maximum gas of a transaction; an action that needs more fails'),
  CHAIN_MAX_FEE_GWEI: z.coerce
    .number()
    .min(0.001)
    .max(1_000_000_000)
    .default(1_000)
    .describe('Maximum fee per gas, in gwei; while the chain is more expensive, transactions wait'),
  CHAIN_DAILY_WEI: z
    .string()
    .regex(/^\d{1,78}$/, 'must be a whole number of wei')
    .transform(BigInt)
    .default(10n ** 18n)
    .describe(
      'Maximum cost of the transactions of each signer on each chain per day (UTC), in wei; further ones wait',
    ),
  WEBHOOK_ALLOW_LOOPBACK: z
    .enum(['on', 'off'])
    .default('off')
    .describe('`on`: allow webhooks to loopback addresses (127.0.0.0/8, ::1), for development'),
  WEBHOOK_ALLOW: allowedHosts
    .optional()
    .describe(
      'Networks (CIDR), addresses and host names that webhooks may reach although they are not public, separated by commas; unset: none',
    ),
  TRUST_PROXY: z
    .string()
    .transform(parseProxies)
    .optional()
    .describe('Trusted proxies for `X-Forwarded-For`: addresses, subnets, or `loopback`; unset: none'),
  RATE_LIMIT_FACTOR: z.coerce
    .number()
    .positive()
    .default(1)
    .describe('Multiplies every rate limit, for benchmarks and tests'),
  HELD_MEGABYTES: z.coerce
    .number()
    .int()
    .min(16)
    .max(65_536)
    .default(512)
    .describe('Memory for incoming requests and unsent responses of all callers together, in MiB'),
  CONNECTIONS_PER_ADDRESS: z.coerce
    .number()
    .int()
    .min(1)
    .default(20_000)
    .describe('Maximum number of open live connections from one address'),
  KEEP_ALIVE_SECONDS: wholeNumber(1, 86_400)
    .default(960)
    .describe(
      'How long an idle HTTP connection stays open, in seconds: longer than a proxy in front reuses it',
    ),
  STORAGE_QUOTA_MEGABYTES: wholeNumber(1, 1_048_576)
    .default(defaultStorageQuota / mebibyte)
    .describe('Storage for the states, play sessions and messages of one player in one game, in MiB'),
  GAME_STORAGE_QUOTA_MEGABYTES: z.coerce
    .number()
    .int()
    .min(1)
    .max(maxGameStorageMegabytes)
    .default(defaultGameStorageQuota / mebibyte)
    .describe('Storage for all data of one game, in MiB, unless its policies say otherwise'),
  GUESTS: z.enum(['on', 'off']).default('on').describe('`off`: guests cannot sign in, in any game'),
  GUEST_IDLE_DAYS: durationDays
    .default(30)
    .describe('Days after which guests without any activity are removed'),
  SESSION_DAYS: durationDays
    .default(1)
    .describe('Lifetime of a channel session and its launcherJwt, in days'),
  SESSION_RENEWAL_DAYS: z.coerce
    .number()
    .min(0)
    .max(365)
    .default(30)
    .describe('Days after its opening until which a channel session can be renewed; 0: not at all'),
  SESSION_RETENTION_DAYS: durationDays
    .default(30)
    .describe('Days that a channel session is kept after its lifetime; at least GUEST_IDLE_DAYS'),
});

export interface Config {
  host: string;
  port: number;
  dataDirectory: string;
  /** Where the server writes backups. */
  backupDirectory: string;
  /** PostgreSQL connection URL, with all options of the driver; undefined: SQLite in the data directory. */
  databaseUrl: string | undefined;
  /** Undefined: derived from the host and the bound port. */
  publicUrl: string | undefined;
  /** Undefined: single node. */
  redisUrl: string | undefined;
  retention: Retention;
  /** How long notifications without an expiry are kept after delivery to a launcher. */
  notificationMs: number;
  idempotencyKeyMs: number;
  /** How long a channel session is kept after its lifetime: at least until its guest is idle, which it tells. */
  sessionMs: number;
  adminToken: string | undefined;
  secretKey: string | undefined;
  chains: ChainRpcs;
  transactions: TransactionSettings;
  webhookAddresses: { allowLoopback: boolean; allowed: AllowedHosts };
  /** Addresses, subnets and names of subnets; empty: the peer address is the client's. */
  trustedProxies: readonly string[];
  rateLimitFactor: number;
  /** Maximum memory for incoming requests and responses that clients have not read yet. */
  heldBytes: number;
  /** Maximum number of open live connections from one address. */
  connectionsPerAddress: number;
  /** How long an HTTP connection stays open after its last response. */
  keepAliveMs: number;
  logLevel: string;
  /** The separate listener for metrics without a token; null: none. */
  metrics: { host: string; port: number } | null;
  demo: boolean;
  /** Started by `npm start`: npm runs this process in a shell, which does not forward signals. */
  startedByNpm: boolean;
  sessionLifetimeMs: number;
  /** How long after its opening a session can live when it is renewed. */
  sessionRenewalMs: number;
  guests: GuestSettings;
  /** Maximum bytes stored by a player in a game. */
  storageQuota: number;
  /** Maximum bytes stored in a game, unless its policies say otherwise. */
  gameStorageQuota: number;
}

/** Settings with secrets, which can also be read from files: `ADMIN_TOKEN_FILE=/run/secrets/admin-token`. */
export const settingsInFiles = [
  'DATABASE_URL',
  'REDIS_URL',
  'ADMIN_TOKEN',
  'GANTRY_SECRET_KEY',
  'CHAINS',
  'SIGNERS',
  'SIGNER_KEYSTORE_PASSWORD',
] as const satisfies (keyof typeof environment.shape)[];

/**
 * The variables that are set, and what is read from files. An empty one counts as unset, as in `PORT= npm start`.
 * @throws ConfigError when such a file cannot be read
 */
export function setVariables(
  variables: Record<string, string | undefined> = process.env,
): Record<string, string | undefined> {
  const set = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ''));
  return withSettingFiles(set, settingsInFiles);
}

/** @throws ConfigError */
export function readConfig(variables?: Record<string, string | undefined>): Config {
  const given = setVariables(variables);
  const result = environment.safeParse(given, { error: describeIssue });
  if (!result.success) {
    const lines = result.error.issues.map(({ path, message }) => `  ${path.join('.')}: ${message}`);
    throw new ConfigError(`Invalid environment variables:\n${lines.join('\n')}`);
  }
  const { data } = result;
  if ((data.SIGNER_KEYSTORE === undefined) !== (data.SIGNER_KEYSTORE_PASSWORD === undefined)) {
    throw new ConfigError('Set SIGNER_KEYSTORE and SIGNER_KEYSTORE_PASSWORD, or neither.');
  }
  if (data.DATABASE_URL !== undefined && data.GANTRY_SECRET_KEY === undefined) {
    throw new ConfigError(
      'DATABASE_URL requires GANTRY_SECRET_KEY: 64 hex digits, the same on every node, which encrypt keys and game secrets ' +
        'in the database. For a new installation, generate them with `openssl rand -hex 32`, and keep a copy. For data ' +
        'that exists, set the key that it is used with: that of the other nodes, or the contents of secret.key in DATA_DIR.',
    );
  }
  return {
    host: data.HOST,
    port: data.PORT,
    dataDirectory: resolve(data.DATA_DIR),
    backupDirectory: resolve(data.BACKUP_DIR ?? join(data.DATA_DIR, 'backups')),
    databaseUrl: data.DATABASE_URL,
    publicUrl: data.PUBLIC_URL,
    redisUrl: data.REDIS_URL,
    retention: {
      maxAgeMs: Math.round(data.EVENT_RETENTION_DAYS * dayMs),
      maxCount: data.EVENT_RETENTION_COUNT,
    },
    notificationMs: Math.round(data.NOTIFICATION_DAYS * dayMs),
    idempotencyKeyMs: Math.round(data.IDEMPOTENCY_KEY_HOURS * 3_600_000),
    sessionMs: Math.round(Math.max(data.SESSION_RETENTION_DAYS, data.GUEST_IDLE_DAYS) * dayMs),
    adminToken: data.ADMIN_TOKEN,
    secretKey: data.GANTRY_SECRET_KEY,
    chains: data.CHAINS ?? new Map(),
    transactions: {
      signers: data.SIGNERS ?? {},
      keystore:
        data.SIGNER_KEYSTORE !== undefined && data.SIGNER_KEYSTORE_PASSWORD !== undefined
          ? { file: data.SIGNER_KEYSTORE, password: data.SIGNER_KEYSTORE_PASSWORD }
          : null,
      confirmations: data.CHAIN_CONFIRMATIONS,
      stuckAfterMs: Math.round(data.CHAIN_STUCK_SECONDS * 1000),
      pollMs: data.CHAIN_POLL_MS,
      bounds: {
        maxGas: BigInt(data.CHAIN_MAX_GAS),
        maxFeePerGas: BigInt(Math.round(data.CHAIN_MAX_FEE_GWEI * 1e9)),
        dailyWei: data.CHAIN_DAILY_WEI,
      },
    },
    webhookAddresses: {
      allowLoopback: data.WEBHOOK_ALLOW_LOOPBACK === 'on',
      allowed: data.WEBHOOK_ALLOW ?? noHosts,
    },
    trustedProxies: data.TRUST_PROXY ?? [],
    rateLimitFactor: data.RATE_LIMIT_FACTOR,
    heldBytes: data.HELD_MEGABYTES * mebibyte,
    connectionsPerAddress: data.CONNECTIONS_PER_ADDRESS,
    keepAliveMs: data.KEEP_ALIVE_SECONDS * 1000,
    logLevel: data.LOG_LEVEL,
    metrics: data.METRICS_PORT === undefined ? null : { host: data.METRICS_HOST, port: data.METRICS_PORT },
    demo: data.GANTRY_DEMO === 'on',
    startedByNpm: given.npm_lifecycle_event !== undefined,
    sessionLifetimeMs: Math.round(data.SESSION_DAYS * dayMs),
    sessionRenewalMs: Math.round(data.SESSION_RENEWAL_DAYS * dayMs),
    guests: { areAllowed: data.GUESTS === 'on', idleMs: Math.round(data.GUEST_IDLE_DAYS * dayMs) },
    storageQuota: data.STORAGE_QUOTA_MEGABYTES * mebibyte,
    gameStorageQuota: data.GAME_STORAGE_QUOTA_MEGABYTES * mebibyte,
  };
}

/**
 * The data directory, for operations on its files.
 * @throws ConfigError when the database is on PostgreSQL; `instead` is a sentence that says what to do in that case
 */
export function requireDataDirectory({ databaseUrl, dataDirectory }: Config, instead: string): string {
  if (databaseUrl === undefined) return dataDirectory;
  throw new ConfigError(
    `DATABASE_URL is set: the database is on PostgreSQL, not in a data directory. ${instead}`,
  );
}

/** The files of a data directory. */
export function dataFiles(dataDirectory: string) {
  return {
    database: join(dataDirectory, 'gantry.db'),
    tokenKeys: join(dataDirectory, 'token-keys.json'),
    secretKey: join(dataDirectory, 'secret.key'),
    adminTokenHash: join(dataDirectory, 'admin-token.sha256'),
  };
}
