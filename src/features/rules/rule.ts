import { z } from 'zod';
import { addressInput, text } from '../../core/schemas/fields.ts';
import { chainId, comparison, uint, userOwnsTokens } from '../../core/schemas/token-condition.ts';
import { eventKey } from '../calendar/calendar-event.ts';
import { checkSignature } from '../chains/call-signature.ts';
import { configKey } from '../game-config/config-entry.ts';
import { notificationMessage, notificationType } from '../notifications/notification.ts';
import { leaderboardName } from '../scores/leaderboard.ts';
import { seasonEnd } from '../scores/season-prizes.ts';
import { stateLabel } from '../states/state.ts';
import { decimalPattern } from './token-amount.ts';

function typeIn(input: unknown): string {
  return JSON.stringify(
    typeof input === 'object' && input !== null && 'type' in input ? input.type : undefined,
  );
}

/** Compares the `value` sent with the trigger. */
const payloadValueCondition = z.strictObject({
  type: z.literal('payload-value-condition'),
  operator: comparison,
  value: z.number(),
});

/**
 * The leaderboard, in its current season. No default is filled in, so that rules from before there were several
 * leaderboards stay unchanged: a rule is identified by its content.
 */
const leaderboard = leaderboardName.optional();

/** Compares the player's score: the record under `nonce`, or the one ranked on the leaderboard (default: `default`). */
const scoreCondition = z.strictObject({
  type: z.literal('score-condition'),
  operator: comparison,
  value: z.number(),
  nonce: z.string().optional(),
  leaderboard,
});

/** Compares a value inside the player's state `label`, reached by a dotted key such as `hero.level`. */
const stateVariableCondition = z.strictObject({
  type: z.literal('state-variable-condition'),
  label: stateLabel,
  key: z.string().min(1),
  operator: comparison,
  value: z.union([z.number(), z.string(), z.boolean()]),
});

/** Whether an event of the game's calendar is active. */
const eventCondition = z.strictObject({
  type: z.literal('event-condition'),
  key: eventKey,
  active: z.boolean().default(true),
});

/** Compares the value of a key of the game's config for the player; rules of the key with a label or version do not apply. */
const configCondition = z.strictObject({
  type: z.literal('config-condition'),
  key: configKey,
  operator: comparison,
  value: z.union([z.number(), z.string(), z.boolean()]),
});

const condition = z.discriminatedUnion(
  'type',
  [
    payloadValueCondition,
    scoreCondition,
    stateVariableCondition,
    configCondition,
    userOwnsTokens,
    eventCondition,
  ],
  {
    error: (issue) =>
      `unknown condition type ${typeIn(issue.input)}; use one of payload-value-condition, score-condition, ` +
      'state-variable-condition, config-condition, user-owns-tokens, event-condition',
  },
);
export type Condition = z.infer<typeof condition>;

const conditions = z.array(condition).optional();

/** Sends the player a notification; replaces `{username}`, `{wallet}`, `{value}` and `{nonce}`. */
const notify = z.strictObject({
  type: z.literal('Notify'),
  message: notificationMessage,
  notificationType: notificationType.default('success'),
  conditions,
});

/**
 * Records an activity; replaces `{value}` and `{nonce}` when it is written, `{username}` and `{wallet}` when it is
 * read.
 */
const sendCustomActivity = z.strictObject({
  type: z.literal('SendCustomActivity'),
  label: text(1, 500),
  eventId: text(1, 200),
  conditions,
});

/** Keeps value × ratio, and sums of it, finite. */
const bounded = z.number().min(-1e15).max(1e15);

/**
 * Sets the player's score to `amount`, or to the trigger's value times `ratio`; with `mode: "add"`, adds that to the
 * score under the same nonce. `nonce` names the record (default `rules`), `leaderboard` where (default `default`).
 */
const updateScore = z
  .strictObject({
    type: z.literal('UpdateScore'),
    mode: z.enum(['set', 'add']).default('set'),
    amount: bounded.optional(),
    ratio: bounded.optional(),
    nonce: z.string().min(1).max(200).default('rules'),
    leaderboard,
    conditions,
  })
  .refine((action) => (action.amount === undefined) !== (action.ratio === undefined), {
    error: "set either amount (a fixed number) or ratio (a multiple of the trigger's value)",
  });

/** Sends a message, through the player's launcher, to the window in which the game runs. */
const postWindowMessage = z.strictObject({
  type: z.literal('PostWindowMessage'),
  message: text(1, 1_000),
  conditions,
});

/** Notifies the game's webhooks of the trigger; `name` distinguishes such actions. */
const webhook = z.strictObject({
  type: z.literal('Webhook'),
  name: text(1, 200).default('rule'),
  conditions,
});

/** Common fields of actions that send a transaction. */
const onChain = {
  chainId,
  contract: addressInput,
  /** One of the signers this server is configured with. */
  signer: text(1, 100).default('default'),
  /** The gas limit; default: estimated. */
  gas: z.int().min(21_000).max(30_000_000).optional(),
  /** The contract's custom errors, so that they can be decoded. */
  errors: z.array(text(1, 500)).max(20).optional(),
  conditions,
};
const signature = text(1, 500);
const template = text(1, 1_000);
const decimal = z.string().regex(decimalPattern, 'must be a decimal number as a string, such as "1.5"');

/** ERC-20: mints to the player, or transfers from the signer, `amount` tokens, or value × `ratio` tokens. */
const issueToken = z
  .strictObject({
    type: z.literal('IssueToken'),
    ...onChain,
    method: z.enum(['mint', 'transfer']).default('mint'),
    amount: decimal.optional(),
    ratio: decimal.optional(),
    /** The token's decimals; default: read from the contract when the rule is stored. */
    decimals: z.int().min(0).max(77).optional(),
  })
  .refine((action) => (action.amount === undefined) !== (action.ratio === undefined), {
    error: "set either amount (a fixed number of tokens) or ratio (a multiple of the trigger's value)",
  });

/** ERC-1155: mints one achievement token to the player, once; without a contract, the grant is only recorded here. */
const grantAchievementToken = z
  .strictObject({
    type: z.literal('GrantAchievementToken'),
    ...onChain,
    chainId: chainId.optional(),
    contract: addressInput.optional(),
    /** With a contract, the token's id. */
    achievement: text(1, 200),
    function: signature.default('function mint(address to, uint256 id, uint256 amount, bytes data)'),
    args: z.array(template).max(10).default(['{wallet}', '{achievement}', '1', '0x']),
  })
  .superRefine((action, context) => {
    if ((action.chainId === undefined) !== (action.contract === undefined)) {
      context.addIssue({
        code: 'custom',
        path: ['contract'],
        message: 'set both chainId and contract, or neither',
      });
    }
    if (action.contract !== undefined && !uint.safeParse(action.achievement).success) {
      context.addIssue({
        code: 'custom',
        path: ['achievement'],
        message: "must be the token's id, a whole number",
      });
    }
    checkSignature(action, context);
  });

/** Writes the player's score into a contract. */
const setLeaderboardScore = z
  .strictObject({
    type: z.literal('SetLeaderboardScore'),
    ...onChain,
    function: signature.default('function setScore(address player, uint256 score)'),
    args: z.array(template).max(10).default(['{wallet}', '{score}']),
  })
  .superRefine(checkSignature);

/** Sets a trait of a token (ERC-7496). */
const updateNftTrait = z
  .strictObject({
    type: z.literal('UpdateNFTTrait'),
    ...onChain,
    tokenId: template,
    trait: template,
    value: template,
    function: signature.default('function setTrait(uint256 tokenId, bytes32 traitKey, bytes32 newValue)'),
    args: z.array(template).max(10).default(['{tokenId}', '{trait}', '{traitValue}']),
  })
  .superRefine(checkSignature);

/** Calls any function. */
const callContract = z
  .strictObject({
    type: z.literal('CallContract'),
    ...onChain,
    function: signature,
    args: z.array(template).max(20).default([]),
  })
  .superRefine(checkSignature);

const actionSchemas = [
  notify,
  sendCustomActivity,
  updateScore,
  postWindowMessage,
  webhook,
  issueToken,
  grantAchievementToken,
  setLeaderboardScore,
  updateNftTrait,
  callContract,
] as const;

const actionTypes = actionSchemas.map((schema) => schema.shape.type.value);

const action = z.discriminatedUnion('type', actionSchemas, {
  error: (issue) => `unknown action type ${typeIn(issue.input)}; use one of ${actionTypes.join(', ')}`,
});
export type Action = z.infer<typeof action>;

/** An action that sends a transaction. */
export type ChainAction =
  | Exclude<Extract<Action, { signer: string }>, { type: 'GrantAchievementToken' }>
  | (Extract<Action, { type: 'GrantAchievementToken' }> & { chainId: number; contract: string });

export function isChainAction(candidate: Action): candidate is ChainAction {
  return 'signer' in candidate && candidate.contract !== undefined;
}

/**
 * The actions to run when a game reports an event. `limitExecutions` counts per player: at most `amount` times, or
 * `amount` times in any `resetInterval` milliseconds. With `seasonEnd`, the rule runs only at the end of a season, not
 * on reports; `trigger` is then its name in webhooks and dry runs.
 */
export const rule = z.strictObject({
  trigger: text(1, 200),
  seasonEnd: seasonEnd.optional(),
  limitExecutions: z
    .strictObject({ amount: z.int().min(1), resetInterval: z.int().min(1).optional() })
    .optional(),
  actions: z.array(action).min(1).max(20),
});
export type Rule = z.infer<typeof rule>;

export const ruleList = z.array(rule).max(500);

/** The rules that a reported event may run: all except those for season ends. */
export function reportedRules(rules: readonly Rule[]): readonly Rule[] {
  return rules.filter(({ seasonEnd }) => seasonEnd === undefined);
}
