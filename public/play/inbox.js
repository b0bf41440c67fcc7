import { Observable } from '../shared/observable.js';
import { readAll } from './read-all.js';

/**
 * @typedef {import('../../src/features/notifications/notification.ts').NotificationRecord} Notification
 * @typedef {Notification & { readAt: number | null }} InboxNotification
 * @typedef {import('gantry-client').OperationOutput<'listMutedGames'>['data'][number]} MutedGame
 */

const pageSize = 30;
/** Notifications that are marked as read together are counted once, after this time, in milliseconds. */
const countDelayMs = 300;
const never = Number.POSITIVE_INFINITY;
/** The longest time that `setTimeout` accepts. */
const maxTimerMs = 2 ** 31 - 1;

/** The player's notifications from all games, newest first; they are stored on the server. */
export class Inbox extends Observable {
  #connection;
  /** The cursor of the next page; null when everything is loaded. @type {string | null} */
  #cursor = null;
  #expiryTimer = 0;
  #countTimer = 0;
  #isMarkingAll = false;
  /** Without expired ones. @type {InboxNotification[] | null} null until loaded */
  notifications = null;
  /** Also of those that are not loaded. */
  unread = 0;
  /** @type {unknown} */
  error = null;
  isLoadingMore = false;
  /** The games whose notifications the player has turned off. @type {readonly MutedGame[]} */
  muted = [];

  /** @param {import('gantry-client').GantryClient} connection with the launcher's own token */
  constructor(connection) {
    super();
    this.#connection = connection;
  }

  close() {
    clearTimeout(this.#expiryTimer);
    clearTimeout(this.#countTimer);
  }

  get hasMore() {
    return this.#cursor !== null;
  }

  /** Loads the newest page: on start, after a reconnect, and when a game is turned off or on. */
  async load() {
    try {
      const [{ notifications, unread, cursor }, muted] = await Promise.all([
        this.#connection.call('listNotifications', { limit: pageSize }),
        readAll((page) => this.#connection.call('listMutedGames', page)),
      ]);
      this.muted = muted;
      this.notifications = notifications;
      this.#cursor = cursor;
      this.unread = unread;
      this.error = null;
    } catch (error) {
      if (this.notifications === null) this.error = error;
    }
    this.#expire();
  }

  async loadMore() {
    if (this.#cursor === null || this.isLoadingMore) return;
    this.isLoadingMore = true;
    this.changed();
    try {
      const after = this.#cursor;
      const page = await this.#connection.call('listNotifications', { limit: pageSize, after });
      const known = new Set(this.notifications?.map(({ _id }) => _id));
      this.notifications = [
        ...(this.notifications ?? []),
        ...page.notifications.filter(({ _id }) => !known.has(_id)),
      ];
      this.#cursor = page.cursor;
    } finally {
      this.isLoadingMore = false;
      this.#expire();
    }
  }

  /** @param {Notification} notification possibly a duplicate */
  add(notification) {
    if (this.notifications?.some(({ _id }) => _id === notification._id)) return;
    this.notifications = [{ ...notification, readAt: null }, ...(this.notifications ?? [])];
    this.unread += 1;
    this.#expire();
  }

  /** Leaves out those that have expired, and does so again when the next one expires. */
  #expire() {
    clearTimeout(this.#expiryTimer);
    const now = Date.now();
    const expired = this.notifications?.filter(({ expiresAt = never }) => expiresAt <= now) ?? [];
    const unread = expired.filter(({ readAt }) => readAt === null).length;
    this.unread = Math.max(0, this.unread - unread);
    this.notifications = this.notifications?.filter((one) => !expired.includes(one)) ?? null;
    this.changed();
    const next = Math.min(...(this.notifications ?? []).map(({ expiresAt = never }) => expiresAt));
    if (next === never) return;
    this.#expiryTimer = window.setTimeout(() => this.#expire(), Math.min(next - now + 50, maxTimerMs));
  }

  /**
   * Applies that notifications were marked as read, here or on another device.
   * @param {{ notificationIds: readonly string[], readAt: number }} record
   */
  applyRead({ notificationIds, readAt }) {
    const marked = new Set(notificationIds);
    let isUnknown = false;
    for (const id of marked) isUnknown ||= !this.notifications?.some(({ _id }) => _id === id);
    const now = this.notifications?.map((one) =>
      one.readAt === null && marked.has(one._id) ? { ...one, readAt } : one,
    );
    const count = now?.filter((one, index) => one !== this.notifications?.[index]).length ?? 0;
    this.notifications = now ?? null;
    this.unread = Math.max(0, this.unread - count);
    this.changed();
    // Some are older than the loaded ones, so only the server knows the unread count.
    if (isUnknown && !this.#isMarkingAll) this.#countUnreadSoon();
  }

  /** Counts once for all the events that ask for it within a short time. */
  #countUnreadSoon() {
    if (this.#countTimer !== 0) return;
    this.#countTimer = window.setTimeout(async () => {
      this.#countTimer = 0;
      const answer = await this.#connection.call('listNotifications', { limit: 1 }).catch(() => null);
      if (answer === null) return; // after the next connection again
      this.unread = answer.unread;
      this.changed();
    }, countDelayMs);
  }

  /**
   * Turns the notifications of a game off or on, in every launcher of the player.
   * @param {string} gameId
   * @param {boolean} muted
   */
  async setMuted(gameId, muted) {
    await this.#connection.call('setMutedGame', { gameId, muted }); // its event loads the inbox
  }

  /** @param {string} gameId */
  isMuted(gameId) {
    return this.muted.some((one) => one.gameId === gameId);
  }

  /** Marks all as read, on every device of the player. */
  async markAllRead() {
    if (this.unread === 0) return;
    this.unread = 0;
    this.changed();
    this.#isMarkingAll = true;
    try {
      let result = await this.#connection.call('markNotificationsRead', { all: true });
      while (result.more) result = await this.#connection.call('markNotificationsRead', { all: true });
    } catch (error) {
      this.#countUnreadSoon();
      throw error;
    } finally {
      this.#isMarkingAll = false;
    }
  }
}
