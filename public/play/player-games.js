import { Observable } from '../shared/observable.js';
import { readAll } from './read-all.js';

/** @typedef {import('gantry-client').OperationOutput<'listRecentGames'>['games'][number]} RecentGame */

const recentLength = 4;
/** The most games that `followGameStats` takes. */
const maxFollowed = 100;

/** What a player has to do with the games: favorites, recently played ones; and how many players each has now. */
export class PlayerGames extends Observable {
  #connection;
  /** By game id. @type {Map<string, number>} */
  #playing = new Map();
  /** The ids of the favorite games. @type {ReadonlySet<string>} */
  favorites = new Set();
  /** The last played first. @type {readonly RecentGame[]} */
  recent = [];

  /** @param {import('gantry-client').GantryClient} connection with the launcher's own token */
  constructor(connection) {
    super();
    this.#connection = connection;
    connection.on('game-stats patched', (stats) => this.count([stats]));
  }

  /** How many players have the game open; null while that is not known. @param {import('./open-game.js').Game} game */
  playing({ gameId }) {
    return this.#playing.get(gameId) ?? null;
  }

  /** The connection is lost, and with it what it followed. */
  lost() {
    this.#playing.clear();
    this.changed();
  }

  /** Loads favorites and recently played games. What cannot be loaded stays as it is: games can be played without. */
  async load() {
    const [favorites, recent] = await Promise.allSettled([
      readAll((page) => this.#connection.call('listFavoriteGames', page)),
      this.#connection.call('listRecentGames', { limit: recentLength }),
    ]);
    if (favorites.status === 'fulfilled') {
      this.favorites = new Set(favorites.value.map(({ gameId }) => gameId));
    }
    if (recent.status === 'fulfilled') this.recent = recent.value.games;
    this.changed();
  }

  /**
   * Follows how many players the games have, until the connection ends.
   * @param {readonly import('./open-game.js').Game[]} games
   */
  async follow(games) {
    const gameIds = games.slice(0, maxFollowed).map(({ gameId }) => gameId);
    const answer = await this.#connection.call('followGameStats', { gameIds }).catch(() => null);
    if (answer) this.count(answer.games);
  }

  /** Takes how many players the games have. @param {readonly { gameId: string, playing: number }[]} all */
  count(all) {
    for (const { gameId, playing } of all) this.#playing.set(gameId, playing);
    this.changed();
  }

  /** Lists a game that is being opened first, before the server says so. @param {import('./open-game.js').Game} game */
  opened({ gameId, slug, name, image }) {
    const before = this.recent.find((one) => one.gameId === gameId);
    const now = Date.now();
    const first = before ?? { gameId, slug, name, image, seconds: 0, sessions: 1, firstAt: now };
    const others = this.recent.filter((one) => one !== before);
    this.recent = [{ ...first, lastAt: now, playing: true }, ...others].slice(0, recentLength);
    this.changed();
  }

  /**
   * @param {string} gameId
   * @param {boolean} favorite
   */
  async setFavorite(gameId, favorite) {
    await this.#connection.call('setFavoriteGame', { gameId, favorite });
    const { favorites } = this;
    this.favorites = new Set([...favorites].filter((one) => one !== gameId).concat(favorite ? gameId : []));
    this.changed();
  }
}
