import { z } from 'zod';
import { rateLimit } from '../../core/rate-limit.ts';
import { addressInput, text } from '../../core/schemas/fields.ts';
import { cleanedNameText, nameText } from '../../core/schemas/names.ts';
import { isCleanUrlText, isWebUrl, webUrl } from '../../core/schemas/web-url.ts';
import { wordFilterPolicy } from '../../core/schemas/word-filter.ts';
import { accessRule } from './access.ts';
import { gameVersion } from './version.ts';

/** How a game ranks its players. */
const leaderboardPolicy = z.object({
  /** Which of a player's scores is ranked: the best, or the latest. */
  keep: z.enum(['best', 'latest']).default('best'),
  /** `desc`: more is better. `asc`: less is better (times, strokes). */
  order: z.enum(['desc', 'asc']).default('desc'),
});
export type LeaderboardPolicy = z.infer<typeof leaderboardPolicy>;

const units = z
  .string()
  .regex(/^\d{1,78}$/, "must be a whole number of the token's smallest unit, as a string");

/** How much of a token a game may issue per day (UTC), in its smallest unit; for ERC-1155, in tokens. */
const tokenLimit = z.object({
  chainId: z.int().min(1),
  contract: addressInput,
  perDay: units,
  perPlayerPerDay: units,
});

/** A game's spending limits on chains; the defaults allow nothing. */
const spendingPolicy = z.object({
  transactionsPerDay: z.int().min(0).max(10_000_000).default(0),
  transactionsPerPlayerPerDay: z.int().min(0).max(10_000_000).default(0),
  tokens: z.array(tokenLimit).max(50).default([]),
});
export type SpendingPolicy = z.infer<typeof spendingPolicy>;

/**
 * Operations that a game may reserve for its own server: writes that the server can make on players' behalf. Operations
 * that write the same data in other ways (`serverOnlyWith`) are reserved with them.
 */
export const serverOnlyOperations = [
  'setUserScore',
  'setState',
  'trackGameSessions',
  'sendCustomActivity',
  'sendNotification',
  'triggerRulesEngine',
  'markMessagesRead',
  'addReaction',
] as const;

/** The highest storage quota that can be set, in MiB. */
export const maxGameStorageMegabytes = 67_108_864;

const storageQuotaMegabytes = z
  .int()
  .min(1)
  .max(maxGameStorageMegabytes)
  .nullable()
  .meta({ description: "Storage quota of the game in MiB; null: the server's default" });

/** The oldest version of the game that may call, and what to tell players of older ones. */
const minVersionPolicy = z.strictObject({
  version: gameVersion,
  /** Where to get a newer one. */
  url: z.union([webUrl, z.literal('')]).default(''),
  message: text(0, 300).default(''),
});

export const gamePolicies = z.object({
  leaderboard: leaderboardPolicy.prefault({}),
  /** `integer`: fractions are rejected, and those that a rule computes are rounded. */
  scores: z.enum(['any', 'integer']).default('any'),
  /** Operations reserved for the game's server: players' calls without the game's secret are rejected. */
  serverOnly: z.array(z.enum(serverOnlyOperations)).max(100).default([]),
  /** Reject calls without the game's secret. */
  requireSecret: z.boolean().default(false),
  /**
   * Reject unsigned calls: `any` accepts every scheme, `hmac-sha256` that and `v2`, `v2` only the one that signs whole
   * requests.
   */
  requireSignature: z.enum(['no', 'any', 'hmac-sha256', 'v2']).default('no'),
  /** A player's new session ends the previous one. */
  oneSessionPerPlayer: z.boolean().default(false),
  /** Where launchers put the token in the game's URL: `?token=`, or after `#`, which is not sent to servers. */
  tokenIn: z.enum(['query', 'fragment']).default('query'),
  /**
   * Which guests may sign in: all, only those the game's server vouches for, or none. Existing sessions continue.
   */
  guests: z.enum(['allowed', 'server', 'forbidden']).default('allowed'),
  /** What the game may know of its players' friends: nothing, those who are in the game, or all. */
  friends: z.enum(['none', 'in-game', 'all']).default('in-game'),
  /** Rate limits per token; default: the server's. */
  limits: z.object({ read: rateLimit.optional(), write: rateLimit.optional() }).prefault({}),
  /** What the game's rules may spend on chains. */
  spending: spendingPolicy.prefault({}),
  /** Words and phrases that are forbidden in the game. */
  wordFilter: wordFilterPolicy.prefault({}),
  storageQuotaMegabytes: storageQuotaMegabytes.default(null),
  /** Calls of older versions, and of those that do not say theirs, are refused; null: every version may call. */
  minVersion: minVersionPolicy.nullable().default(null),
  /** What players must own to open a session; null: nothing. */
  access: accessRule.nullable().default(null),
});
export type GamePolicies = z.infer<typeof gamePolicies>;
/** Policies in a request: omitted ones keep their value, or get their default. */
export const policyChanges = z.strictObject({
  // Not `partial()`, which would apply the defaults to omitted fields.
  leaderboard: z
    .object({
      keep: leaderboardPolicy.shape.keep.unwrap().optional(),
      order: leaderboardPolicy.shape.order.unwrap().optional(),
    })
    .optional(),
  scores: gamePolicies.shape.scores.unwrap().optional(),
  /** Replaced as a whole: omitted operations are open to players again. */
  serverOnly: gamePolicies.shape.serverOnly.unwrap().optional(),
  requireSecret: z.boolean().optional(),
  requireSignature: gamePolicies.shape.requireSignature.unwrap().optional(),
  oneSessionPerPlayer: z.boolean().optional(),
  tokenIn: gamePolicies.shape.tokenIn.unwrap().optional(),
  guests: gamePolicies.shape.guests.unwrap().optional(),
  friends: gamePolicies.shape.friends.unwrap().optional(),
  limits: gamePolicies.shape.limits.unwrap().optional(),
  /** Replaced as a whole: omitted spending is not allowed. */
  spending: spendingPolicy.optional(),
  /** Replaced as a whole: omitted fields get their default. */
  wordFilter: wordFilterPolicy.optional(),
  storageQuotaMegabytes: storageQuotaMegabytes.optional(),
  /** Replaced as a whole. */
  minVersion: minVersionPolicy.nullable().optional(),
  access: accessRule.nullable().optional(),
});
export type PolicyChanges = z.infer<typeof policyChanges>;

/**
 * `listed`: in the public list. `unlisted`: found only by its slug or id, otherwise unchanged. `archived`: no play and
 * no writes; its data stays, and public reads still work.
 */
export const gameListing = z.enum(['listed', 'unlisted', 'archived']);
export type GameListing = z.infer<typeof gameListing>;

/** Position in lists: lowest first; games with the same order, oldest first. */
export const gameOrder = z.int().min(-1_000_000).max(1_000_000);

/** A game as administrators see it. */
export const gameRecord = z
  .object({
    gameId: z.string(),
    slug: z.string(),
    name: z.string(),
    kind: z.enum(['game', 'launcher']),
    url: z.string(),
    allowedOrigins: z.array(z.string()),
    policies: gamePolicies,
    createdAt: z.int(),
    listing: gameListing,
    image: z.string().meta({
      description: 'Image URL shown in launchers: absolute, or a path on this server; empty when it has none',
    }),
    order: gameOrder.meta({ description: 'Sort order in lists, lowest first' }),
    deleting: z.boolean().meta({ description: 'Whether it is being deleted, which cannot be stopped' }),
  })
  .meta({ id: 'Game' });

/** A game of kind `launcher` is a launcher's own entry: its sessions may open sessions in other games. */
export const gameKind = z.enum(['game', 'launcher']);
export type GameKind = z.infer<typeof gameKind>;

export interface Game {
  id: string;
  slug: string;
  name: string;
  kind: GameKind;
  /** Where the game is played: absolute, or a path on this server; empty when it has no page. */
  url: string;
  /** Browser origins that may call this game, see `admitsOrigin`; empty: any. */
  allowedOrigins: string[];
  policies: GamePolicies;
  createdAt: number;
  listing: GameListing;
  /** Absolute, or a path on this server; empty when it has none. */
  image: string;
  /** Position in lists, lowest first. */
  order: number;
}

/** Omitted fields are kept. */
export interface GameChanges {
  name?: string | undefined;
  url?: string | undefined;
  allowedOrigins?: string[] | undefined;
  policies?: PolicyChanges | undefined;
  listing?: GameListing | undefined;
  image?: string | undefined;
  order?: number | undefined;
}

export interface NewGame extends GameChanges {
  name: string;
  /** Default: derived from the name, with a number appended when that is taken. */
  slug?: string | undefined;
  kind?: GameKind | undefined;
}

/** Applies changes to policies; omitted ones are kept, also within the leaderboard's. */
export function withPolicyChanges(
  before: GamePolicies,
  { leaderboard, ...changes }: PolicyChanges = {},
): GamePolicies {
  return gamePolicies.parse({
    ...before,
    ...defined(changes),
    leaderboard: { ...before.leaderboard, ...defined(leaderboard ?? {}) },
  });
}

function defined(changes: object): object {
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
}

const maxName = 100;
export const gameName = nameText(1, maxName);
/** The name of a game in an exported file, which may be older than the rules of `gameName`. */
export const cleanedGameName = cleanedNameText(1, maxName);
export const gameSlug = z
  .string()
  .max(60)
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'must be lowercase letters, digits and single hyphens');

/** Derives a slug from a name: `Höhle 2!` → `hohle-2`; `game` when no character can be used. */
export function slugOf(name: string): string {
  const slug = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{Mark}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 60)
    .replace(/^-|-$/g, '');
  return slug || 'game';
}

/** A game's URL: absolute, or, for a game that this server hosts, a path such as `/demo-game`. */
export const gameUrl = z
  .string()
  .max(2_000)
  .refine(
    isGameUrl,
    'must be an http(s) URL without user name, password, spaces or quotes, or a path on this server such as /demo-game',
  );

function isGameUrl(text: string): boolean {
  if (isWebUrl(text)) return true;
  // Browsers strip white space in URLs, which could turn what looks like a path into a host.
  if (!isCleanUrlText(text) || !text.startsWith('/')) return false;
  return URL.parse(text, 'http://this.server')?.host === 'this.server';
}
