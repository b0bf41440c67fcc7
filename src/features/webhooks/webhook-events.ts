import type { NewEvent } from '../../core/events/stream.ts';
import { activityCreated } from '../activities/events.ts';
import { eventEnded, eventStarted } from '../calendar/events.ts';
import { friendCreated, friendPatched, friendRemoved } from '../friends/events.ts';
import type { FriendRecord } from '../friends/friend.ts';
import { ruleActionPatched } from '../queue/events.ts';
import { releaseCreated } from '../releases/events.ts';
import { scoreCreated, scorePatched, scoreRemoved, seasonEnded } from '../scores/score.ts';
import { gameChannelPatched } from '../sessions/events.ts';
import type { WebhookFilter } from './webhook.ts';

/**
 * The events that webhooks receive, with their webhook types. Private messages, and events for a single launcher, are
 * never sent to webhooks.
 */
export const webhookTypes = {
  [scoreCreated.name]: 'scores.created',
  [scorePatched.name]: 'scores.patched',
  [scoreRemoved.name]: 'scores.removed',
  [seasonEnded.name]: 'leaderboard_seasons.ended',
  [eventStarted.name]: 'events.started',
  [eventEnded.name]: 'events.ended',
  [activityCreated.name]: 'activities.created',
  [releaseCreated.name]: 'releases.created',
  [gameChannelPatched.name]: 'game_channels.patched',
  [ruleActionPatched.name]: 'rule_actions.patched',
  [friendCreated.name]: 'friends.created',
  [friendPatched.name]: 'friends.patched',
  [friendRemoved.name]: 'friends.removed',
} as const satisfies Record<string, string>;

/** The type sent by a rule's action `Webhook`. */
const ruleTriggerType = 'rule_triggers.created';

/** The type of a new report to the moderators. */
const reportType = 'player_reports.created';

/** The type of maintenance that was set, changed or ended, that begins or is over. */
const maintenanceType = 'maintenance.patched';

/** The type of an item of news that was published. */
const newsType = 'news.created';

/** The type sent by `testWebhook`. */
export const pingType = 'ping';

/** An event for webhooks. */
export interface WebhookEvent {
  type: string;
  gameId: string;
  /** The player concerned; empty: none. */
  wallet: string;
  data: unknown;
  /** The filters that match it. */
  filters: readonly WebhookFilter[];
}

/** Events that concern no player. */
const withoutPlayer = new Set<string>([
  seasonEnded.name,
  releaseCreated.name,
  eventStarted.name,
  eventEnded.name,
]);

const callbacks: readonly WebhookFilter[] = ['all', 'event-callbacks'];
const ruleCallbacks: readonly WebhookFilter[] = ['all', 'rules-engine-all-callbacks'];
const ruleErrors: readonly WebhookFilter[] = [...ruleCallbacks, 'rules-engine-errors'];

/** The event as sent to the webhooks of a game; null: it is not sent. */
export function webhookEventOf({ name, record }: NewEvent, gameId: string): WebhookEvent | null {
  const type = name in webhookTypes ? webhookTypes[name as keyof typeof webhookTypes] : undefined;
  if (type === undefined) return null;
  const wallet = withoutPlayer.has(name) ? '' : walletOf(record);
  if (wallet === undefined) return null;
  const of = { type, gameId, wallet, data: publicOf(record) };
  if (name !== ruleActionPatched.name) return { ...of, filters: callbacks };
  const isFailed = 'state' in record && record.state === 'failed';
  // Deliveries themselves are reported to webhooks only when they fail: otherwise each would cause another.
  if (!isFailed && 'type' in record && record.type === 'Webhook') return null;
  return { ...of, filters: isFailed ? ruleErrors : ruleCallbacks };
}

/** The event that a rule's action `Webhook` sends for its trigger. */
export function webhookEventOfTrigger(data: {
  triggerUuid: string;
  gameId: string;
  normalizedAddress: string;
  name: string;
  trigger: string;
  value: number | string | null;
  nonce: string | null;
}): WebhookEvent {
  const { gameId, normalizedAddress: wallet } = data;
  return { type: ruleTriggerType, gameId, wallet, data, filters: ruleCallbacks };
}

/** The event for a new report. The reporter and the report's text are for moderators only. */
export function webhookEventOfReport(data: {
  reportId: string;
  gameId: string;
  normalizedAddress: string;
  messageId: string | null;
  channelId: string | null;
  reason: string;
  createdAt: number;
}): WebhookEvent {
  const { gameId, normalizedAddress: wallet } = data;
  return { type: reportType, gameId, wallet, data, filters: callbacks };
}

/** The event for maintenance of a game, or of all. */
export function webhookEventOfMaintenance(data: {
  gameId: string | null;
  from: number;
  until: number;
  message: string;
}): Omit<WebhookEvent, 'gameId'> {
  return { type: maintenanceType, wallet: '', data, filters: callbacks };
}

/** An item of news that was published; `gameId` null: of the installation. */
export interface AnnouncedNews {
  newsId: string;
  gameId: string | null;
  title: string;
  publishedAt: number;
}

/** The event for an item of news, as sent to the webhooks of a game, or of a launcher when the news are not of a game. */
export function webhookEventOfNews(gameId: string, data: AnnouncedNews): WebhookEvent {
  return { type: newsType, gameId, wallet: '', data, filters: callbacks };
}

/** A record without what only the player may read. */
function publicOf(record: object): object {
  if (!('note' in record && 'favorite' in record)) return record;
  const { note, favorite, message, ...rest } = record as FriendRecord;
  return rest;
}

function walletOf(record: object): string | undefined {
  if ('normalizedAddress' in record) return String(record.normalizedAddress);
  return 'wallet' in record ? String(record.wallet) : undefined;
}
