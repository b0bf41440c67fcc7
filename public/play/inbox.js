import { Observable } from '../shared/observable.js';

/**
 * @typedef {import('../../src/notifications/notification.ts').NotificationRecord} Notification
 * @typedef {Notification & { readAt: number | null }} InboxNotification
 */

const pageSize = 30;

/** The player's notifications of every game, which stay on the server; newest first. */
export class Inbox extends Observable {
  #connection;
  /** Where the list goes on; null: it is all here. @type {string | null} */
  #cursor = null;
  /** @type {InboxNotification[] | null} null until they are there */
  #notifications = null;
  unread = 0;
  /** @type {unknown} */
  error = null;
  isLoadingMore = false;

  /** @param {import('gantry-client').GantryClient} connection with the launcher's own token */
  constructor(connection) {
    super();
    this.#connection = connection;
  }

  /** Without those that have expired meanwhile; null until they are there. */
  get notifications() {
    const now = Date.now();
    return this.#notifications?.filter(({ expiresAt }) => expiresAt === undefined || expiresAt > now) ?? null;
  }

  get hasMore() {
    return this.#cursor !== null;
  }

  /** Loads the newest: at the start, and after a reconnect. */
  async load() {
    try {
      const { notifications, unread, cursor } = await this.#connection.call('listNotifications', {
        limit: pageSize,
      });
      this.#notifications = notifications;
      this.#cursor = cursor;
      this.unread = unread;
      this.error = null;
    } catch (error) {
      if (this.#notifications === null) this.error = error;
    }
    this.changed();
  }

  async loadMore() {
    if (this.#cursor === null || this.isLoadingMore) return;
    this.isLoadingMore = true;
    this.changed();
    try {
      const after = this.#cursor;
      const answer = await this.#connection.call('listNotifications', { limit: pageSize, after });
      const known = new Set(this.#notifications?.map(({ _id }) => _id));
      this.#notifications = [
        ...(this.#notifications ?? []),
        ...answer.notifications.filter(({ _id }) => !known.has(_id)),
      ];
      this.#cursor = answer.cursor;
    } finally {
      this.isLoadingMore = false;
      this.changed();
    }
  }

  /** @param {Notification} notification that has come, maybe again */
  add(notification) {
    if (this.#notifications?.some(({ _id }) => _id === notification._id)) return;
    this.#notifications = [{ ...notification, readAt: null }, ...(this.#notifications ?? [])];
    this.unread += 1;
    this.changed();
  }

  /**
   * Some were marked as read, here or on another device.
   * @param {{ notificationIds: readonly string[], readAt: number }} record
   */
  applyRead({ notificationIds, readAt }) {
    const marked = new Set(notificationIds);
    let isUnknown = false;
    for (const id of marked) isUnknown ||= !this.#notifications?.some(({ _id }) => _id === id);
    const now = this.#notifications?.map((one) =>
      one.readAt === null && marked.has(one._id) ? { ...one, readAt } : one,
    );
    const count = now?.filter((one, index) => one !== this.#notifications?.[index]).length ?? 0;
    this.#notifications = now ?? null;
    this.unread = Math.max(0, this.unread - count);
    this.changed();
    // Older ones than are here were among them: the server knows how many are left.
    if (isUnknown) this.load();
  }

  /** Marks all as read, on every device of the player. */
  async markAllRead() {
    if (this.unread === 0) return;
    this.unread = 0;
    this.changed();
    let answer = await this.#connection.call('markNotificationsRead', { all: true });
    while (answer.more) answer = await this.#connection.call('markNotificationsRead', { all: true });
  }
}
