import { storedGame } from './stored-session.js';

/** The player's sessions in games. The open game's is stored, so that reloads do not accumulate sessions. */
export class GameSessions {
  #connection;

  /** @param {import('gantry-client').GantryClient} connection with the launcher's own token */
  constructor(connection) {
    this.#connection = connection;
  }

  /**
   * The token of the stored session if it still exists, and of a new one otherwise.
   * @param {string} gameId
   */
  async tokenFor(gameId) {
    return (
      (await this.#stored(gameId)) ??
      (await this.#connection.call('openChannelSession', { gameId })).launcherJwt
    );
  }

  /** @param {string} sessionId */
  end(sessionId) {
    // If this fails, the session expires by itself.
    this.#connection.call('endChannelSession', { sessionId }).catch(() => {});
  }

  /** @param {string} gameId */
  async #stored(gameId) {
    const stored = storedGame();
    if (stored?.gameId !== gameId) return null;
    const { exists } = await this.#connection
      .as(stored.launcherJwt)
      .call('channelStatus')
      .catch(() => ({ exists: false }));
    return exists ? stored.launcherJwt : null;
  }
}
