import { z } from 'zod';
import { notificationMessage, notificationType } from '../domain/notification.ts';
import { stateLabel } from '../domain/state.ts';
import { text } from '../domain/text.ts';

const operator = z.enum(['gt', 'gte', 'lt', 'lte', 'eq', 'ne']);
export type Operator = z.infer<typeof operator>;

function typeIn(input: unknown): string {
  return JSON.stringify(
    typeof input === 'object' && input !== null && 'type' in input ? input.type : undefined,
  );
}

/** Compares the `value` sent with the trigger. */
const payloadValueCondition = z.strictObject({
  type: z.literal('payload-value-condition'),
  operator,
  value: z.number(),
});

/** Compares the player's score: the record under `nonce`, or the one that counts on the leaderboard. */
const scoreCondition = z.strictObject({
  type: z.literal('score-condition'),
  operator,
  value: z.number(),
  nonce: z.string().optional(),
});

/** Compares a value inside the player's state `label`, reached by a dotted key such as `hero.level`. */
const stateVariableCondition = z.strictObject({
  type: z.literal('state-variable-condition'),
  label: stateLabel,
  key: z.string().min(1),
  operator,
  value: z.union([z.number(), z.string(), z.boolean()]),
});

export const condition = z.discriminatedUnion(
  'type',
  [payloadValueCondition, scoreCondition, stateVariableCondition],
  {
    error: (issue) =>
      `unknown condition type ${typeIn(issue.input)}: this server judges payload-value-condition, ` +
      'score-condition and state-variable-condition; it asks no chain',
  },
);
export type Condition = z.infer<typeof condition>;

const conditions = z.array(condition).optional();

/** Sends the player a notification; `{username}`, `{wallet}`, `{value}` and `{nonce}` are filled in. */
const notify = z.strictObject({
  type: z.literal('Notify'),
  message: notificationMessage,
  notificationType: notificationType.default('success'),
  conditions,
});

/** Records an activity; `{value}` and `{nonce}` are filled in at once, `{username}` and `{wallet}` when read. */
const sendCustomActivity = z.strictObject({
  type: z.literal('SendCustomActivity'),
  label: text(1, 500),
  eventId: text(1, 200),
  conditions,
});

/** Keeps value × ratio, and sums of it, finite. */
const bounded = z.number().min(-1e15).max(1e15);

/**
 * Sets the player's score to `amount`, or to the trigger's value times `ratio`; with `mode: "add"`, adds
 * that to the score under the same nonce. `nonce` names the record (default `rules`).
 */
const updateScore = z
  .strictObject({
    type: z.literal('UpdateScore'),
    mode: z.enum(['set', 'add']).default('set'),
    amount: bounded.optional(),
    ratio: bounded.optional(),
    nonce: z.string().min(1).max(200).default('rules'),
    conditions,
  })
  .refine((action) => (action.amount === undefined) !== (action.ratio === undefined), {
    error: 'give either amount (a fixed number) or ratio (times the value sent with the trigger)',
  });

export const action = z.discriminatedUnion('type', [notify, sendCustomActivity, updateScore], {
  error: (issue) =>
    `unknown action type ${typeIn(issue.input)}: ` +
    'this server runs Notify, SendCustomActivity and UpdateScore; it has no on-chain actions',
});
export type Action = z.infer<typeof action>;

/**
 * What a game wants done when it reports an event. `limitExecutions` counts per player: at most `amount`
 * times, or `amount` times in any `resetInterval` milliseconds.
 */
export const rule = z.strictObject({
  trigger: text(1, 200),
  limitExecutions: z
    .strictObject({ amount: z.int().min(1), resetInterval: z.int().min(1).optional() })
    .optional(),
  actions: z.array(action).min(1).max(20),
});
export type Rule = z.infer<typeof rule>;

export const ruleList = z.array(rule).max(500);
