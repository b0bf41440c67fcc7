import { messageOf } from '../shared/states.js';

/**
 * What the player sees when a session ends. The reasons are those of README.md, "Channel sessions".
 * @typedef {{ title: string, text: string }} SessionEnd
 */

/** @type {Readonly<Record<string, SessionEnd>>} */
const sessionEnds = {
  ended: { title: 'You are signed out', text: 'You can sign in again at any time.' },
  revoked: {
    title: 'Your session was ended',
    text: 'An administrator or the game ended it, or one of your devices was removed. You can sign in again.',
  },
  replaced: { title: 'You signed in elsewhere', text: 'Only one session at a time is allowed here.' },
  banned: {
    title: 'You are banned',
    text: 'An administrator has banned this player. Your data is kept; contact the operator of this server for details.',
  },
  player_banned: {
    title: 'You are banned',
    text: 'An administrator has banned this player; contact the operator of this server for details.',
  },
  upgraded: {
    title: 'This player now has a wallet',
    text: 'Sign in with the wallet to continue; all your data is kept.',
  },
  erased: {
    title: 'This player was erased',
    text: 'All data of the player was deleted. Signing in creates a new player.',
  },
  expired: { title: 'Your session has expired', text: 'Sign in again to continue.' },
  game_archived: {
    title: 'This game was archived',
    text: 'It can no longer be played. Your data in it is kept.',
  },
  game_deleted: {
    title: 'This game was deleted',
    text: 'It can no longer be played.',
  },
  token_expired: { title: 'Your session has expired', text: 'Sign in again to continue.' },
  token_invalid: { title: 'Your session is no longer valid', text: 'Sign in again to continue.' },
};

/**
 * @param {string | null} reason an `endReason`, or the reason why a token was rejected
 * @param {string} [message] the server's message, which may name the `endReason`
 * @returns {SessionEnd}
 */
export function sessionEnd(reason, message = '') {
  const named = /has ended \((\w+)\)/.exec(message)?.[1];
  return (
    sessionEnds[named ?? reason ?? ''] ?? {
      title: 'Your session has ended',
      text: message || 'Sign in again to continue.',
    }
  );
}

/**
 * The end of a session in a game, while the launcher's own session lasts.
 * @param {string | null} reason
 * @param {string} game its name
 * @returns {SessionEnd}
 */
export function gameSessionEnd(reason, game) {
  if (reason === 'banned') {
    return {
      title: `You are banned from ${game}`,
      text: 'An administrator has banned you from this game. You can still play other games.',
    };
  }
  const { title, text } = sessionEnd(reason);
  return { title: `${game}: ${title.charAt(0).toLowerCase()}${title.slice(1)}`, text };
}

/**
 * Why a player cannot sign in. The server's message of a ban has the wallet instead, for callers who act for many players.
 * @param {unknown} error
 * @returns {string}
 */
export function signInProblem(error) {
  if (!isBan(error)) return messageOf(error);
  const { title, text } = sessionEnd('player_banned');
  return `${title}. ${text}`;
}

/**
 * Why a game cannot be opened, while the launcher's own session lasts.
 * @param {unknown} error
 * @param {string} game its name
 * @returns {unknown} an error to show
 */
export function openingProblem(error, game) {
  return isBan(error) ? new Error(gameSessionEnd('banned', game).title) : error;
}

/** @param {unknown} error */
function isBan(error) {
  return error instanceof Error && /** @type {{ reason?: string }} */ (error).reason === 'player_banned';
}
