import { z } from 'zod';
import { normalizedAddress } from '../core/schemas/address.ts';
import { id, timestamp } from '../core/schemas/ids.ts';

/**
 * What becomes of an action of the queue: `queued` until it was first sent, `submitted` until it is known to
 * have taken effect, then for good `confirmed`, `failed` or `cancelled`. Only an administrator's retry leads
 * from `failed` or `cancelled` back to `queued`.
 */
export const actionState = z.enum(['queued', 'submitted', 'confirmed', 'failed', 'cancelled']);
export type ActionState = z.infer<typeof actionState>;

/** An action as its player's launcher and administrators see it. */
export const actionRecord = z
  .object({
    _id: id,
    triggerUuid: id.meta({ description: 'The trigger that caused it' }),
    gameId: id,
    normalizedAddress,
    type: z.string().meta({ description: 'The type of the action in the rule, such as IssueToken' }),
    state: actionState,
    error: z.string().nullable().meta({ description: 'Why it failed, or why it has not succeeded so far' }),
    transactionHash: z.string().nullable().meta({ description: 'Of the transaction on the chain' }),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'RuleAction' });
export type ActionRecord = z.infer<typeof actionRecord>;

/** The longest error kept of an action, in characters. */
export const maxErrorLength = 500;

/** An action with what administrators see beside. */
export const listedAction = actionRecord
  .extend({
    kind: z
      .string()
      .meta({ description: 'What carries it out: chain or webhook; rules: nothing, it was refused' }),
    lane: z.string().meta({ description: 'Chain and signer, for what is sent to a chain' }),
    payload: z.json(),
    attempts: z.int(),
    dueAt: timestamp,
  })
  .meta({ id: 'ListedAction' });
export type ListedAction = z.infer<typeof listedAction>;

/** How long a webhook's delivery is tried, from the event or from the last replay. */
export const deliveryLifetimeMs = 24 * 60 * 60 * 1000;

/** Something to be done after the commit of what caused it. */
export interface NewAction {
  /** Which worker carries it out. */
  kind: string;
  /** Of a chain, `<chain id>:<signer>`; of webhooks, the webhook. Left out: nobody carries it out. */
  lane?: string | undefined;
  /** Shown to players and administrators. */
  type: string;
  gameId: string;
  /** Left out: it concerns no player, and no launcher hears of it. */
  wallet?: string | undefined;
  triggerUuid?: string | undefined;
  /** The worker's own; must be JSON. */
  payload: unknown;
  /** Unix milliseconds; left out: at once. */
  dueAt?: number | undefined;
}

export interface ActionFilter {
  gameId?: string | undefined;
  wallet?: string | undefined;
  kind?: string | undefined;
  state?: ActionState | undefined;
}
