import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import proxyAddr from 'proxy-addr';
import { z } from 'zod';
import type { ChainRpcs } from './auth/contract-wallets.ts';
import type { Retention } from './store/store.ts';

const dayMs = 24 * 60 * 60 * 1000;
const durationDays = z.coerce.number().positive().max(365);

const chainMap = z.record(
  z.string().regex(/^[1-9]\d*$/, 'chain ids are whole numbers'),
  z.array(z.url({ protocol: /^https?$/ })).min(1),
);

function parseChains(text: string, context: z.RefinementCtx): ChainRpcs {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Left undefined, which is no chain map either.
  }
  const result = chainMap.safeParse(value);
  if (result.success) return new Map(Object.entries(result.data).map(([id, urls]) => [Number(id), urls]));
  context.addIssue({ code: 'custom', message: 'must be JSON of the form {"1":["https://rpc.example"]}' });
  return z.NEVER;
}

const signerMap = z.record(
  z.string().min(1).max(100),
  z.templateLiteral(['0x', z.string().regex(/^[0-9a-fA-F]{64}$/)]),
);

/** What is wrong is said without the keys. */
function parseSigners(text: string, context: z.RefinementCtx): Record<string, `0x${string}`> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Left undefined, which is no map of signers either.
  }
  const result = signerMap.safeParse(value);
  if (result.success && new Set(Object.values(result.data)).size === Object.keys(result.data).length) {
    return result.data;
  }
  context.addIssue({
    code: 'custom',
    message: result.success
      ? 'has one key under two names'
      : 'must be JSON of the form {"default":"0x…"}, each key 0x and 64 hex digits',
  });
  return z.NEVER;
}

function parseProxies(text: string, context: z.RefinementCtx): string[] {
  const proxies = text.split(',').map((one) => one.trim());
  try {
    // A bare number would be read as an address (0.0.0.1), and is nothing anyone means.
    if (proxies.some((one) => /^\d+$/.test(one))) throw new Error('a number is no address');
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

/** Every environment variable Gantry reads. README.md lists them; a test compares the two. */
export const environment = z.object({
  HOST: z.string().min(1).default('127.0.0.1').describe('Address to listen on'),
  PORT: z.coerce
    .number()
    .int()
    .min(0)
    .max(65_535)
    .default(3000)
    .describe('Port to listen on; 0 picks a free one'),
  DATA_DIR: z.string().min(1).default('./data').describe('Where the database and the keys are kept'),
  PUBLIC_URL: z
    .url({ protocol: /^https?$/ })
    .transform((url) => url.replace(/\/+$/, ''))
    .optional()
    .describe('Address players reach the server at, when it differs from http://HOST:PORT'),
  REDIS_URL: z
    .url({ protocol: /^rediss?$/ })
    .optional()
    .describe('Redis that several nodes share, redis://…; unset: one process does everything in memory'),
  EVENT_RETENTION_DAYS: durationDays
    .default(7)
    .describe(
      'How long events are kept for launchers that were away, and what is over in the queue, in days',
    ),
  EVENT_RETENTION_COUNT: z.coerce
    .number()
    .int()
    .min(1)
    .default(10_000)
    .describe('How many events are kept of one stream'),
  METRICS_PORT: z.coerce
    .number()
    .int()
    .min(0)
    .max(65_535)
    .optional()
    .describe('A port of its own for `/metrics`, where it asks for no token; unset: none'),
  METRICS_HOST: z.string().min(1).default('127.0.0.1').describe('Address that port is listened at'),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info')
    .describe('Least severe log lines written (to standard error, as JSON)'),
  GANTRY_DEMO: z.enum(['on', 'off']).default('on').describe('`off`: make no demo data on first start'),
  ADMIN_TOKEN: z
    .string()
    // What `Authorization: Bearer <token>` can carry; another one would never be accepted.
    .regex(/^[\x21-\x7e]{16,512}$/, 'must be 16 to 512 characters of printable ASCII, without spaces')
    .optional()
    .describe(
      'Token of the administrators; unset: made on first start and printed, its hash kept in the data directory',
    ),
  GANTRY_SECRET_KEY: z
    .string()
    .regex(/^[0-9a-f]{64}$/i, 'must be 64 hex digits')
    .optional()
    .describe(
      'Key that game secrets are encrypted with, 64 hex digits; unset: made and kept in the data directory',
    ),
  CHAINS: z
    .string()
    .transform(parseChains)
    .optional()
    .describe(
      'RPC servers for contract wallets and rules, as JSON: `{"1":["https://…"]}`; wallets with a key of their own need none',
    ),
  SIGNERS: z
    .string()
    .transform(parseSigners)
    .optional()
    .describe('Private keys that rules sign transactions with, as JSON by name: `{"default":"0x…"}`'),
  SIGNER_KEYSTORE: z
    .string()
    .min(1)
    .optional()
    .describe('File of one more key, encrypted (Web3 Secret Storage, version 3): the signer `keystore`'),
  SIGNER_KEYSTORE_PASSWORD: z.string().min(1).optional().describe('What that file was encrypted with'),
  CHAIN_CONFIRMATIONS: z.coerce
    .number()
    .int()
    .min(1)
    .max(1_000)
    .default(3)
    .describe('Blocks, the own one included, after which a transaction is taken for final'),
  CHAIN_STUCK_SECONDS: z.coerce
    .number()
    .positive()
    .max(86_400)
    .default(60)
    .describe('After so long without being mined a transaction is sent again with higher fees'),
  CHAIN_POLL_MS: z.coerce
    .number()
    .int()
    .min(20)
    .max(60_000)
    .default(1_000)
    .describe('How often a chain is asked what became of transactions, in milliseconds'),
  WEBHOOK_ALLOW_LOOPBACK: z
    .enum(['on', 'off'])
    .default('off')
    .describe('`on`: webhooks may be delivered to this machine itself (127.0.0.0/8, ::1), for development'),
  TRUST_PROXY: z
    .string()
    .transform(parseProxies)
    .optional()
    .describe('Proxies whose `X-Forwarded-For` is believed: addresses, subnets, or `loopback`; unset: none'),
  RATE_LIMIT_FACTOR: z.coerce
    .number()
    .positive()
    .default(1)
    .describe('Multiplies every rate limit, for benchmarks and tests'),
  SESSION_DAYS: durationDays
    .default(1)
    .describe('How long a channel session and its launcherJwt last, in days'),
});

/** How rules send transactions. The keys are in memory only. */
export interface TransactionSettings {
  /** Private keys by name. */
  signers: Readonly<Record<string, `0x${string}`>>;
  /** An encrypted key beside them. */
  keystore: { file: string; password: string } | null;
  /** Blocks after which a transaction is final, its own included. */
  confirmations: number;
  stuckAfterMs: number;
  pollMs: number;
}

export interface Config {
  host: string;
  port: number;
  dataDirectory: string;
  /** Left out: made of the host and the port that was bound. */
  publicUrl: string | undefined;
  /** Unset: this process is the only one. */
  redisUrl: string | undefined;
  retention: Retention;
  adminToken: string | undefined;
  secretKey: string | undefined;
  chains: ChainRpcs;
  transactions: TransactionSettings;
  /** Webhooks may be delivered to this machine itself. */
  webhookAllowLoopback: boolean;
  /** Addresses, subnets and names of subnets; none: whoever connects is who calls. */
  trustedProxies: readonly string[];
  rateLimitFactor: number;
  logLevel: string;
  /** Where metrics are served without a token; null: nowhere. */
  metrics: { host: string; port: number } | null;
  demo: boolean;
  /** `npm start` put a shell between npm and this process, which does not pass signals on. */
  startedByNpm: boolean;
  sessionLifetimeMs: number;
}

/** A setting cannot be used; the message says which, and what it may be. */
export class ConfigError extends Error {}

/** @throws ConfigError */
export function readConfig(variables: Record<string, string | undefined> = process.env): Config {
  // An empty variable counts as unset, as in `PORT= npm start`.
  const set = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ''));
  const result = environment.safeParse(set);
  if (!result.success) {
    const lines = result.error.issues.map(({ path, message }) => `  ${path.join('.')}: ${message}`);
    throw new ConfigError(`These environment variables cannot be used:\n${lines.join('\n')}`);
  }
  const { data } = result;
  if ((data.SIGNER_KEYSTORE === undefined) !== (data.SIGNER_KEYSTORE_PASSWORD === undefined)) {
    throw new ConfigError('Set SIGNER_KEYSTORE and SIGNER_KEYSTORE_PASSWORD, or neither.');
  }
  return {
    host: data.HOST,
    port: data.PORT,
    dataDirectory: resolve(data.DATA_DIR),
    publicUrl: data.PUBLIC_URL,
    redisUrl: data.REDIS_URL,
    retention: {
      maximumAgeMs: Math.round(data.EVENT_RETENTION_DAYS * dayMs),
      maximumCount: data.EVENT_RETENTION_COUNT,
    },
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
    },
    webhookAllowLoopback: data.WEBHOOK_ALLOW_LOOPBACK === 'on',
    trustedProxies: data.TRUST_PROXY ?? [],
    rateLimitFactor: data.RATE_LIMIT_FACTOR,
    logLevel: data.LOG_LEVEL,
    metrics: data.METRICS_PORT === undefined ? null : { host: data.METRICS_HOST, port: data.METRICS_PORT },
    demo: data.GANTRY_DEMO === 'on',
    startedByNpm: variables.npm_lifecycle_event !== undefined,
    sessionLifetimeMs: Math.round(data.SESSION_DAYS * dayMs),
  };
}

/** A setting as it holds, for people. */
export interface EffectiveSetting {
  name: string;
  /** Secrets are only said to be there; null: unset, with no default. */
  value: string | null;
  source: 'default' | 'environment' | 'file' | 'unset';
  /** The file, where the value is of one. */
  file?: string;
  meaning: string;
}

/** Settings whose value is nobody's business. */
const secretSettings: ReadonlySet<string> = new Set([
  'ADMIN_TOKEN',
  'GANTRY_SECRET_KEY',
  'SIGNERS',
  'SIGNER_KEYSTORE_PASSWORD',
]);

const hidden = '(hidden)';

/** Every setting, its value, and where that came from. @throws ConfigError */
export function effectiveSettings(
  variables: Record<string, string | undefined> = process.env,
): EffectiveSetting[] {
  const config = readConfig(variables);
  const files = dataFiles(config.dataDirectory);
  const fromFiles: Readonly<Record<string, string>> = {
    ADMIN_TOKEN: files.adminTokenHash,
    GANTRY_SECRET_KEY: files.secretKey,
  };
  return Object.entries(environment.shape).map(([name, schema]): EffectiveSetting => {
    const meaning = schema.description ?? '';
    const given = variables[name];
    if (given !== undefined && given !== '') {
      return { name, value: shown(name, given), source: 'environment', meaning };
    }
    const file = fromFiles[name];
    if (file !== undefined && existsSync(file)) return { name, value: hidden, source: 'file', file, meaning };
    const fallback: unknown = schema.safeParse(undefined).data;
    return fallback === undefined
      ? { name, value: null, source: 'unset', meaning }
      : { name, value: String(fallback), source: 'default', meaning };
  });
}

/** Addresses are shown without the passwords and keys that they may carry. */
function shown(name: string, value: string): string {
  if (secretSettings.has(name)) return hidden;
  if (name === 'REDIS_URL') {
    const url = new URL(value);
    if (url.password !== '') url.password = 'hidden';
    return url.href;
  }
  if (name !== 'CHAINS') return value;
  return value.replace(
    /(https?:\/\/)(?:[^/"@]*@)?([^/"?#]+)[^"]*/g,
    (_, scheme, host) => `${scheme}${host}/…`,
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
