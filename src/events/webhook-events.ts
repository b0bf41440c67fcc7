import type { WebhookFilter } from '../domain/webhook.ts';
import type { EventName } from './catalogue.ts';
import type { NewEvent } from './stream.ts';

/**
 * The events that webhooks are sent, with the type they have there. What players write to each other, and
 * what is told to one launcher only, is nobody else's business and not among them.
 */
export const webhookTypes = {
  'scores created': 'scores.created',
  'scores patched': 'scores.patched',
  'scores removed': 'scores.removed',
  'activities created': 'activities.created',
  'game-channels patched': 'game_channels.patched',
  'rule-actions patched': 'rule_actions.patched',
} as const satisfies Partial<Record<EventName, string>>;

/** The type of what a rule's action `Webhook` sends. */
export const ruleTriggerType = 'rule_triggers.created';

/** The type of what `testWebhook` sends. */
export const pingType = 'ping';

/** Something a webhook may be told of. */
export interface WebhookEvent {
  type: string;
  gameId: string;
  /** The player it is about. */
  wallet: string;
  data: unknown;
  /** The filters that take it in. */
  filters: readonly WebhookFilter[];
}

const callbacks: readonly WebhookFilter[] = ['all', 'event-callbacks'];
const ruleCallbacks: readonly WebhookFilter[] = ['all', 'rules-engine-all-callbacks'];
const ruleErrors: readonly WebhookFilter[] = [...ruleCallbacks, 'rules-engine-errors'];

/** What webhooks are told of an event; null: nothing. */
export function webhookEventOf(event: NewEvent): WebhookEvent | null {
  const { name, record, audience } = event;
  const type = name in webhookTypes ? webhookTypes[name as keyof typeof webhookTypes] : undefined;
  if (type === undefined) return null;
  const wallet = walletOf(record);
  if (wallet === undefined) return null;
  const of = { type, gameId: audience.gameId, wallet, data: record };
  if (name !== 'rule-actions patched') return { ...of, filters: callbacks };
  const isFailed = 'state' in record && record.state === 'failed';
  // How a delivery goes is told to webhooks only when it has failed: else each would bring forth another.
  if (!isFailed && 'type' in record && record.type === 'Webhook') return null;
  return { ...of, filters: isFailed ? ruleErrors : ruleCallbacks };
}

/** What a rule's action `Webhook` tells of its trigger. */
export function webhookEventOfTrigger(data: {
  triggerUuid: string;
  gameId: string;
  normalizedAddress: string;
  name: string;
  trigger: string;
  value: number | null;
  nonce: string | null;
}): WebhookEvent {
  const { gameId, normalizedAddress: wallet } = data;
  return { type: ruleTriggerType, gameId, wallet, data, filters: ruleCallbacks };
}

function walletOf(record: object): string | undefined {
  if ('normalizedAddress' in record) return String(record.normalizedAddress);
  return 'wallet' in record ? String(record.wallet) : undefined;
}
