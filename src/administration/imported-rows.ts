import { z } from 'zod';
import { activityType, maxLabelLength } from '../activities/activity.ts';
import { activities } from '../activities/tables.ts';
import { playerBlocks } from '../blocks/tables.ts';
import { idElsewhere } from '../core/schemas/ids.ts';
import { text } from '../core/schemas/text.ts';
import type { AnyRow, AnyTable, Column, Kind, Table, Value } from '../core/storage/table.ts';
import { requestNonces } from '../games/tables.ts';
import { messageContent, permission } from '../messages/message-channel.ts';
import { maxKinds, maxReactions, reactionInput } from '../messages/reaction.ts';
import { reactionCounts } from '../messages/stored-message.ts';
import {
  declinedAdders,
  formerParticipants,
  messageChannels,
  messageReactions,
  messages,
  participants,
  readMarkers,
} from '../messages/tables.ts';
import { muter } from '../mutes/mute.ts';
import { playerMutes } from '../mutes/tables.ts';
import { notificationMessage, notificationType } from '../notifications/notification.ts';
import { notifications } from '../notifications/tables.ts';
import { playSessions } from '../play-sessions/tables.ts';
import { username } from '../players/player.ts';
import { bans, players } from '../players/tables.ts';
import { actionState, maxErrorLength } from '../queue/action.ts';
import { actions, grants, spending, spent } from '../queue/tables.ts';
import { reportComment, reportNote, reportReason, reportStatus } from '../reports/report.ts';
import { playerReports } from '../reports/tables.ts';
import { ruleExecutions, ruleTriggers } from '../rules/tables.ts';
import { maxTextLength } from '../rules/trigger-value.ts';
import {
  entryRule,
  keepRule,
  leaderboardName,
  maxLabels,
  metadataInput,
  scoreLabel,
} from '../scores/leaderboard.ts';
import { leaderboardRecords, leaderboardSeasons, leaderboards } from '../scores/leaderboard-tables.ts';
import { scores } from '../scores/tables.ts';
import { parseState, stateLabel } from '../states/state.ts';
import { states } from '../states/tables.ts';

/** Clocks of two servers differ, but nothing was done tomorrow. */
const clockToleranceMs = 24 * 60 * 60 * 1000;

/** A wallet as it is stored. */
export const storedWallet = z.string().regex(/^0x[0-9a-f]{40}$/, 'must be 0x and 40 lowercase hex digits');

/** An id as it is stored, made by another server. */
export const storedId = idElsewhere.refine((id) => id === id.toLowerCase(), 'must be lowercase');

const noWallet = z.literal('');
const count = z.int().min(0);
const flag = z.union([z.literal(0), z.literal(1)]);
const units = z.string().regex(/^\d{1,80}$/, 'must be a whole number');
const hex64 = z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 hex digits');
const nonce = text(1, 200);

/** JSON text whose value is as the schema says. */
export function jsonText<Schema extends z.ZodType>(schema: Schema) {
  return z.string().transform((json, context): z.output<Schema> => {
    let value: unknown;
    try {
      value = JSON.parse(json);
    } catch {
      context.addIssue({ code: 'custom', message: 'must be JSON' });
      return z.NEVER;
    }
    const result = schema.safeParse(value);
    if (result.success) return result.data;
    for (const { path, message } of result.error.issues) {
      context.addIssue({ code: 'custom', path: [...path], message });
    }
    return z.NEVER;
  });
}

/** The same, kept as text. */
const jsonOf = (schema: z.ZodType) => jsonText(schema).transform((value) => JSON.stringify(value));

/** What is counted of reactions to a message; that they are there is seen at the end. */
const importedReactions = reactionCounts
  .max(maxKinds)
  .refine((counts) => counts.reduce((sum, [, count]) => sum + count, 0) <= maxReactions);

/** A player's state, as large and as deep as one that a player may set. */
const stateText = z.string().refine((json) => {
  parseState(json); // throws with what is wrong
  return true;
});

type Fields<Row> = { readonly [Name in keyof Row]?: z.ZodType<Value> };

/** What a column may hold where its kind does not say; as the operation has it that a caller would have used. */
const fields: readonly (readonly [AnyTable, Fields<AnyRow>])[] = [
  of(players, {
    wallet: storedWallet,
    username,
    avatar: z.union([z.url({ protocol: /^https?$/ }).max(2_000), z.literal('')]),
  }),
  of(bans, { wallet: storedWallet, gameId: storedId, reason: text(0, 500) }),
  of(requestNonces, { nonce: text(0, 200) }),
  of(scores, { nonce: nonce.nullable(), sessionId: text(1, 200).nullable() }),
  of(leaderboards, {
    name: leaderboardName,
    keep: keepRule,
    sortOrder: z.enum(['desc', 'asc']),
    entries: entryRule,
    isPublic: flag,
    labels: jsonOf(z.array(scoreLabel).max(maxLabels)),
    season: z.int().min(1),
    schedule: text(1, 100).nullable(),
    timeZone: text(1, 100),
    nextEndAt: count, // worked out again
  }),
  of(leaderboardSeasons, { leaderboard: leaderboardName, season: z.int().min(1) }),
  of(leaderboardRecords, {
    board: storedId,
    nonce: nonce.nullable(),
    sessionId: text(1, 200).nullable(),
    label: scoreLabel.nullable(),
    metadata: jsonOf(metadataInput).nullable(),
  }),
  // `json` and its hash are made again of what it says, by `readState`, which has the bounds.
  of(states, {
    wallet: storedWallet,
    label: stateLabel,
    ipfsHash: text(1, 200),
    json: z.string(),
    version: z.int().min(1),
    isPrivate: z.literal(1).nullable(),
  }),
  of(playSessions, {
    id: z.guid().refine((id) => id === id.toLowerCase(), 'must be lowercase'), // the caller's own
    wallet: storedWallet,
    state: stateText,
    endTime: count.nullable(),
  }),
  of(activities, {
    wallet: storedWallet,
    type: activityType,
    label: text(1, maxLabelLength),
    eventId: text(1, 200),
  }),
  of(notifications, {
    wallet: storedWallet,
    message: notificationMessage,
    type: notificationType,
    // Files of earlier versions have none of these.
    readAt: count.nullable().default(null),
    expiresAt: count.nullable().default(null),
  }),
  of(messageChannels, { participantsKey: z.string(), name: text(0, 100), chatPicture: text(0, 2_000) }),
  of(participants, {
    wallet: storedWallet,
    permissions: jsonOf(z.array(permission).max(20)),
    addedBy: z.union([storedWallet, noWallet]),
  }),
  of(declinedAdders, { wallet: storedWallet, adder: storedWallet }),
  of(playerBlocks, { wallet: storedWallet, blocked: storedWallet }),
  of(playerReports, {
    reporter: storedWallet,
    subject: storedWallet,
    reason: reportReason,
    comment: reportComment,
    status: reportStatus,
    closedBy: text(0, 200),
    note: reportNote,
  }),
  of(playerMutes, {
    wallet: storedWallet,
    channelId: z.union([storedId, z.literal('')]),
    mutedBy: muter,
    until: count,
    reason: text(0, 500),
  }),
  of(formerParticipants, { wallet: storedWallet }),
  of(messages, {
    sender: storedWallet,
    content: messageContent,
    eventSeqs: jsonOf(z.array(count)),
    replyTo: storedId.nullable().default(null),
    reactions: jsonOf(importedReactions).nullable().default(null),
  }),
  of(messageReactions, { wallet: storedWallet, reaction: reactionInput }),
  of(readMarkers, { wallet: storedWallet }),
  of(ruleTriggers, {
    wallet: storedWallet,
    nonce: nonce.nullable(),
    trigger: text(1, 200),
    valueText: text(1, maxTextLength).nullable(),
    actions: jsonOf(z.array(text(1, 100)).max(10_000)),
  }),
  of(ruleExecutions, { wallet: storedWallet, ruleKey: hex64, n: z.int().min(1) }),
  of(actions, {
    kind: text(1, 100),
    lane: text(0, 200),
    type: text(1, 100),
    wallet: z.union([storedWallet, noWallet]),
    triggerId: z.union([storedId, noWallet]),
    payload: jsonOf(z.json()),
    state: actionState,
    giveUpAt: count,
    dueAt: count,
    claimedBy: text(1, 200).nullable(),
    claimedUntil: count,
    error: text(0, maxErrorLength).nullable(),
    transactionHash: z
      .string()
      .regex(/^0x[0-9a-fA-F]{64}$/, 'must be a transaction hash')
      .nullable(),
  }),
  of(spending, { wallet: storedWallet, token: text(0, 200), amount: units, givenBack: flag }),
  of(spent, { wallet: z.union([storedWallet, noWallet]), token: text(0, 200), amount: units }),
  of(grants, {
    wallet: storedWallet,
    achievement: text(1, 200),
    actionId: z.union([storedId, noWallet]),
    granted: flag,
  }),
];

function of<Row>(table: Table<Row>, given: Fields<Row>): readonly [AnyTable, Fields<AnyRow>] {
  return [table as AnyTable, given];
}

/** What a column may hold. Texts have no bound by themselves: a table that is not named above is not for imports. */
function schemaOfColumn(
  { name, kind, isNullable }: Column,
  given: Fields<AnyRow>,
  now: number,
): z.ZodType<Value> {
  const own = given[name];
  if (own) return own;
  const byKind: Partial<Record<Kind, z.ZodType<Value>>> = {
    uuid: storedId,
    int: count,
    ms: count.max(now + clockToleranceMs, 'lies in the future'),
    real: z.number(),
    stream: text(1, 200), // held against the streams of the file
  };
  const schema = byKind[kind];
  if (!schema) throw new Error(`an import does not know what ${name} may hold`);
  return isNullable ? schema.nullable() : schema;
}

/** A row of a table in a file that anybody may have written, held to what callers may send. `now`: Unix ms. */
export function importedRow(table: AnyTable, now: number): z.ZodType<AnyRow> {
  const given = fields.find(([one]) => one === table)?.[1] ?? {};
  return z.strictObject(
    Object.fromEntries(table.columns.map((column) => [column.name, schemaOfColumn(column, given, now)])),
  );
}
