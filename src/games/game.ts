import { z } from 'zod';
import { addressInput } from '../core/schemas/address.ts';
import { wordFilterPolicy } from '../core/schemas/word-filter.ts';

/** How a game ranks its players. */
const leaderboardPolicy = z.object({
  /** Which of a player's scores counts: the best one, or the one set last. */
  keep: z.enum(['best', 'latest']).default('best'),
  /** `desc`: more is better. `asc`: less is better (times, strokes). */
  order: z.enum(['desc', 'asc']).default('desc'),
});
export type LeaderboardPolicy = z.infer<typeof leaderboardPolicy>;

/** So many calls in so many seconds. */
const rateLimit = z.object({
  points: z.int().min(1).max(1_000_000),
  seconds: z.int().min(1).max(3600),
});
export type RateLimit = z.infer<typeof rateLimit>;

const units = z
  .string()
  .regex(/^\d{1,78}$/, "must be a whole number of the token's smallest unit, as a string");

/** How much of one token a game may hand out a day (UTC), in its smallest unit: of ERC-1155, tokens. */
const tokenLimit = z.object({
  chainId: z.int().min(1),
  contract: addressInput,
  perDay: units,
  perPlayerPerDay: units,
});

/** What a game may spend on chains; with the defaults, nothing. */
const spendingPolicy = z.object({
  transactionsPerDay: z.int().min(0).max(10_000_000).default(0),
  transactionsPerPlayerPerDay: z.int().min(0).max(10_000_000).default(0),
  tokens: z.array(tokenLimit).max(50).default([]),
});
export type SpendingPolicy = z.infer<typeof spendingPolicy>;

/**
 * What a game may leave to its own server: writes of players that a server can make in their place. Operations that write
 * the same in other ways (`serverOnlyWith`) go with it.
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

export const gamePolicies = z.object({
  leaderboard: leaderboardPolicy.prefault({}),
  /** `integer`: a fraction is refused, and one that a rule comes to is rounded. */
  scores: z.enum(['any', 'integer']).default('any'),
  /** Operations that only the game's server carries out: calls of players without the game's secret are refused. */
  serverOnly: z.array(z.enum(serverOnlyOperations)).max(100).default([]),
  /** Refuse calls that do not carry the game's secret. */
  requireSecret: z.boolean().default(false),
  /** Refuse calls that are not signed: with any scheme, with HMAC-SHA-256, or with that of whole requests. */
  requireSignature: z.enum(['no', 'any', 'hmac-sha256', 'v2']).default('no'),
  /** A new session of a player ends the one before. */
  oneSessionPerPlayer: z.boolean().default(false),
  /** Where launchers put the token in the game's address: `?token=`, or after `#`, which no server is sent. */
  tokenIn: z.enum(['query', 'fragment']).default('query'),
  /**
   * Players without a wallet: whoever wants to be one, only those whom the game's server vouches for, or none. Sessions they
   * have already go on.
   */
  guests: z.enum(['allowed', 'server', 'forbidden']).default('allowed'),
  /** How often one token may call; left out, the server's defaults hold. */
  limits: z.object({ read: rateLimit.optional(), write: rateLimit.optional() }).prefault({}),
  /** What its rules may spend on chains. */
  spending: spendingPolicy.prefault({}),
  /** Words and phrases that are not to be said in it. */
  wordFilter: wordFilterPolicy.prefault({}),
});
export type GamePolicies = z.infer<typeof gamePolicies>;
/** Policies as they are given: what is left out is as it was, or its default. */
export const policyChanges = z.object({
  // Not `partial()`, which would fill in the defaults for what is left out.
  leaderboard: z
    .object({
      keep: leaderboardPolicy.shape.keep.unwrap().optional(),
      order: leaderboardPolicy.shape.order.unwrap().optional(),
    })
    .optional(),
  scores: gamePolicies.shape.scores.unwrap().optional(),
  /** Given as a whole: what is left out of it is for players again. */
  serverOnly: gamePolicies.shape.serverOnly.unwrap().optional(),
  requireSecret: z.boolean().optional(),
  requireSignature: gamePolicies.shape.requireSignature.unwrap().optional(),
  oneSessionPerPlayer: z.boolean().optional(),
  tokenIn: gamePolicies.shape.tokenIn.unwrap().optional(),
  guests: gamePolicies.shape.guests.unwrap().optional(),
  limits: gamePolicies.shape.limits.unwrap().optional(),
  /** Given as a whole: what is left out of it is not allowed. */
  spending: spendingPolicy.optional(),
  /** Given as a whole: what is left out of it is its default. */
  wordFilter: wordFilterPolicy.optional(),
});
export type PolicyChanges = z.infer<typeof policyChanges>;

/**
 * `listed`: in the public list. `unlisted`: only who knows its slug or id finds it; players go on as before. `archived`:
 * nobody plays, and nothing is written; what there is stays, and public reads go on.
 */
export const gameListing = z.enum(['listed', 'unlisted', 'archived']);
export type GameListing = z.infer<typeof gameListing>;

/** The place in lists: the lowest first, and games of the same order oldest first. */
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
      description: "Shown in launchers: absolute, or a path of this server's; empty when it has none",
    }),
    order: gameOrder.meta({ description: 'In lists, the lowest comes first' }),
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
  /** Where the game is played, absolute or a path of this server's; empty when it has no page. */
  url: string;
  /** Browser origins that may call for this game; empty means any. */
  allowedOrigins: string[];
  policies: GamePolicies;
  createdAt: number;
  listing: GameListing;
  /** Absolute, or a path of this server's; empty when it has none. */
  image: string;
  /** In lists, the lowest comes first. */
  order: number;
}

export interface NewGame {
  name: string;
  /** Left out: made of the name, with a number behind it when that is taken. */
  slug?: string | undefined;
  kind?: GameKind | undefined;
  url?: string | undefined;
  allowedOrigins?: string[] | undefined;
  policies?: PolicyChanges | undefined;
  listing?: GameListing | undefined;
  image?: string | undefined;
  order?: number | undefined;
}

/** What is left out stays. */
export interface GameChanges {
  name?: string | undefined;
  url?: string | undefined;
  allowedOrigins?: string[] | undefined;
  policies?: PolicyChanges | undefined;
  listing?: GameListing | undefined;
  image?: string | undefined;
  order?: number | undefined;
}

/** Policies with some of them changed; within the leaderboard's, too, what is left out stays. */
export function withPolicyChanges(
  before: GamePolicies,
  { leaderboard, ...changes }: PolicyChanges = {},
): GamePolicies {
  return gamePolicies.parse({
    ...before,
    ...given(changes),
    leaderboard: { ...before.leaderboard, ...given(leaderboard ?? {}) },
  });
}

function given(changes: object): object {
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
}

export const gameName = z.string().trim().min(1).max(100);
export const gameSlug = z
  .string()
  .max(60)
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'must be lowercase letters, digits and single hyphens');

/** A slug made of a name: `Höhle 2!` → `hohle-2`; `game` when nothing of the name can be kept. */
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

/** Where a game is played: absolute, or for one that this server serves, a path such as `/demo-game`. */
export const gameUrl = z
  .string()
  .max(2_000)
  .refine(isGameUrl, "must be an http(s) address, or a path of this server's such as /demo-game");

function isGameUrl(text: string): boolean {
  // Browsers drop white space in addresses, and what looked like a path would be a host.
  if (/\s/.test(text)) return false;
  if (/^https?:\/\//i.test(text)) return URL.canParse(text);
  return text.startsWith('/') && URL.parse(text, 'http://this.server')?.host === 'this.server';
}

/** A browser origin, as browsers send it: scheme, host and port, nothing behind; a slash at the end is dropped. */
export const origin = z
  .string()
  .transform((text) => text.replace(/\/$/, ''))
  .pipe(
    z
      .url({ protocol: /^https?$/, error: 'must be an origin such as https://game.example' })
      .refine(
        (text) => URL.parse(text)?.origin === text,
        'must be an origin such as https://game.example, without a path',
      ),
  );
