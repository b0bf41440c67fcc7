import { z } from 'zod';

/**
 * The records of INTERFACE.md section 2 with the formats of DESIGN.md, deliberately written a second time: strict, so
 * that a missing, misspelt or additional field fails, whatever src/ declares.
 */

export const id = z.uuidv7();
export const wallet = z.string().regex(/^0x[0-9a-f]{40}$/);
/** Unix milliseconds; seconds would be too small. */
export const time = z.int().min(1_500_000_000_000);

/** A player as the player's own client shows it. */
export const ownPlayer = z.strictObject({
  wallet,
  userId: id,
  username: z.string().min(1),
  isNamed: z.boolean(),
  avatar: z.url(),
  isGuest: z.boolean(),
});

/** What the answer to every sign-in has. */
export const signInFields = {
  launcherJwt: z.string(),
  jwt: z.string(),
  expiresAt: time,
  player: ownPlayer,
};

const score = {
  _id: id,
  nonce: z.string().min(1),
  gameId: id,
  normalizedAddress: wallet,
  score: z.number(),
  updatedAt: time,
};
export const scoreRecord = z.strictObject(score);
export const leaderboardEntry = z.strictObject({
  ...score,
  username: z.string().min(1),
  avatar: z.url(),
});

const state = {
  _id: id,
  gameId: id,
  ipfsHash: z.string().regex(/^b[a-z2-7]{58}$/), // a CIDv1 in base32
  normalizedAddress: wallet,
  label: z.string(),
  updatedAt: time,
  version: z.int().min(1),
  public: z.literal(true).optional(),
};
/** A state's metadata, without its content. */
export const stateHead = z.strictObject(state);
export const stateRecord = z.strictObject({
  ...state,
  // Any JSON value, unchanged: zod's own schemas would drop a key such as `__proto__`.
  state: z.custom<z.core.util.JSONType>((value) => value !== undefined),
});

export const activityRecord = z.strictObject({
  _id: id,
  label: z.string(),
  normalizedAddress: wallet,
  eventId: z.string(),
  gameId: id,
  timestamp: time,
});

export const feedItem = z.strictObject({
  type: z.enum(['on-chain', 'off-chain']),
  eventId: z.string(),
  gameId: id,
  gameName: z.string(),
  gameSlug: z.string(),
  user: z.strictObject({ id, address: wallet, username: z.string().min(1) }),
  displayText: z.string(),
  timestamp: time,
});

export const messageChannel = z.strictObject({
  _id: id,
  name: z.string(),
  chatPicture: z.string(),
  createdAt: time,
  updatedAt: time,
  participants: z.array(
    z.strictObject({ wallet, userGroup: z.int(), permissions: z.array(z.string().min(1)) }),
  ),
  gameId: id,
});

const message = { _id: id, channelId: id, senderId: z.string().min(1), createdAt: time, updatedAt: time };
export const channelMessage = z.strictObject({ ...message, content: z.string() });
/** A message's identity, as unsending returns it: everything but its text. */
export const unsentMessage = z.strictObject({
  success: z.literal(true),
  ...message,
  content: z.literal(''),
});

export const channelStatus = z.strictObject({
  exists: z.boolean(),
  present: z.boolean(),
  wallet,
  openedAt: time,
});

/** `{ success: true }` with the fields of an operation's result. */
export function succeeded<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject({ success: z.literal(true), ...shape });
}

/** `{ total, limit, skip, data }` */
export function page<Row extends z.ZodType>(row: Row) {
  return z.strictObject({ total: z.int(), limit: z.int(), skip: z.int(), data: z.array(row) });
}
