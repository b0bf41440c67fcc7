/**
 * All calls of the demo game to Gantry: example code to copy.
 */

/** Gantry's URL. Gantry serves this game; a game hosted elsewhere would set `https://gantry.example`. */
const gantry = location.origin;
const mostInRace = 4;
const mostCompared = 100; // wallets per call

/** @typedef {import('gantry-client').GantryClient} Client */
/** @typedef {import('gantry-client').FollowedFriend} Friend */
/** @typedef {import('./scene.js').Container} Container */
/** @typedef {{ id: string, score: number, streak: number, stack: Container[], won: boolean }} Round */
/** @typedef {{ best: number, round: Round | null }} Saved */

/**
 * What the game does with what Gantry tells it.
 * @typedef {{
 *   showNote(message: string): void,
 *   showPlayer(name: string): void,
 *   showFriends(friends: readonly Friend[]): void,
 *   join(connect: string, from: string): void,
 * }} Game
 */

export class Cloud {
  #game;
  /** The player's connection; null when there is none: the game runs, but saves nothing. @type {Promise<Client | null>} */
  #connecting;

  /** @param {Game} game */
  constructor(game) {
    this.#game = game;
    this.#connecting = this.#signIn().catch(() => {
      game.showNote('Gantry is not available: nothing is saved');
      return null;
    });
  }

  /**
   * Connects the launcher's player when a launcher has opened the game, otherwise a guest, the same one at every visit.
   * @returns {Promise<Client>}
   */
  async #signIn() {
    const { showNote, showPlayer, showFriends, join } = this.#game;
    // Elsewhere: import { connect } from 'https://gantry.example/client.js';
    /** @type {typeof import('gantry-client')} */
    const { connect } = await import(`${gantry}/client.js`);
    // Calls over HTTP do not depend on the live connection.
    const client = await connect({ url: gantry, game: 'demo-game', callOver: 'http' });
    client.onStatus((status) => {
      if (status.state === 'ended') showNote('Your session has ended: progress is not saved any more');
    });
    showPlayer(client.player?.username ?? '');
    // What the player's friends are doing, in this game. Without an answer, the game has no friends to show.
    client.friends.follow(({ friends }) => showFriends(friends)).catch(() => {});
    // An invite to this game that the player has accepted, in a launcher or on another device.
    client.on('game-joins requested', ({ connect, from }) => join(connect, from));
    return client;
  }

  /**
   * Calls Gantry when the player is signed in. The game continues without a response: a failure here does not stop a
   * round, and the next call sends the current state again.
   * @template Result
   * @param {(client: Client) => Promise<Result>} use
   * @returns {Promise<Result | null>} null when there is no player, no response, or an error
   */
  async #call(use) {
    const client = await this.#connecting;
    try {
      return client && (await use(client));
    } catch (error) {
      // Programs branch on `reason`; `message` is for people.
      const { reason, message } = /** @type {import('gantry-client').GantryError} */ (error);
      if (reason === 'rate_limited') this.#game.showNote('Too many requests, slow down');
      else if (reason === 'connection_lost') this.#game.showNote('Offline: progress is not saved right now');
      else this.#game.showNote(message);
      return null;
    }
  }

  /**
   * What was saved under this label, here or on another device.
   * @returns {Promise<Saved | null>}
   */
  async load() {
    const result = await this.#call(({ api }) => api.getStates({ label: 'progress' }));
    return /** @type {Saved | undefined} */ (result?.states[0]?.state) ?? null;
  }

  /**
   * A state is any JSON, sent as text. Setting the same label again replaces it.
   * @param {Saved} saved
   */
  save(saved) {
    return this.#call(({ api }) => api.setState({ label: 'progress', state: JSON.stringify(saved) }));
  }

  /**
   * The leaderboard shows each player's best. With the round's id as the nonce, sending the same score twice is
   * idempotent. The leaderboard `weekly` starts a new season every Monday, and shows the score's metadata: how high the
   * stack was. A queued call waits until there is a connection.
   * @param {Round} round
   */
  score(round) {
    const score = { score: round.score, nonce: round.id };
    const metadata = { containers: round.stack.length - 1 };
    return Promise.all([
      this.#call((client) => client.queue('setUserScore', score)),
      this.#call((client) => client.queue('setUserScore', { ...score, leaderboard: 'weekly', metadata })),
    ]);
  }

  /**
   * The first call starts a play session, later ones update it, one with `endTime` ends it.
   * @param {Round} round
   * @param {number} [endTime]
   */
  track(round, endTime) {
    const state = JSON.stringify({ score: round.score, containers: round.stack.length - 1 });
    const end = endTime === undefined ? {} : { endTime };
    return this.#call(({ api }) => api.trackGameSessions({ sessionId: round.id, state, ...end }));
  }

  /**
   * Reports a game event; its effects (in the demo, a notification and an activity) are defined by the game's rules, which
   * the operator can change. The nonce makes it run once per round.
   * @param {Round} round
   */
  win(round) {
    return this.#call(({ api }) =>
      api.triggerRulesEngine({ trigger: 'win', value: round.score, nonce: `win-${round.id}` }),
    );
  }

  /**
   * A line of the public feed. Gantry fills in the player's name when it is read.
   * @param {number} score
   */
  announceRecord(score) {
    return this.#call(({ api }) =>
      api.sendCustomActivity({
        label: `{username} stacked a new best: ${score}`,
        eventId: 'personal-best',
      }),
    );
  }

  /**
   * What friends see of the player, and how they can join: `connect` is for this game only, the name of the race here.
   * It ends when the game is closed.
   * @param {{ details: string, score: number, race: string, size: number }} shown
   */
  show({ details, score, race, size }) {
    const group = { id: race, size, max: mostInRace };
    return this.#call(({ api }) =>
      api.setRichPresence({ details, values: { score: String(score) }, group, connect: race }),
    );
  }

  /**
   * The scores of the player and the friends, best first.
   * @param {readonly Friend[]} friends
   */
  async scoresAmong(friends) {
    const answer = await this.#call(({ api, player }) =>
      api.getLeaderboardAmong({
        gameId: 'demo-game',
        wallets: [player?.wallet ?? '', ...friends.map(({ wallet }) => wallet)].slice(0, mostCompared),
      }),
    );
    return answer?.leaderboard ?? [];
  }

  /**
   * Invites a friend, who gets `connect` by accepting.
   * @param {string} wallet
   * @param {string} race
   */
  async invite(wallet, race) {
    const answer = await this.#call(({ api }) => api.sendInvite({ wallets: [wallet], connect: race }));
    return answer !== null && answer.refused.length === 0;
  }
}
