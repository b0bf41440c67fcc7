/**
 * What a launcher stores for the lifetime of its tab: two tabs are two players, a reload is the same one, and
 * nothing of a player stays on a shared computer.
 * @typedef {{ launcherJwt: string, guest: boolean }} KeptPlayer
 * @typedef {{ gameId: string, launcherJwt: string }} KeptGame
 */

const playerKey = 'gantry-play-player';
const gameKey = 'gantry-play-game';

/** @returns {KeptPlayer | null} */
export function keptPlayer() {
  return read(playerKey);
}

/** @param {KeptPlayer | null} player */
export function keepPlayer(player) {
  write(playerKey, player);
  if (player === null) write(gameKey, null);
}

/** @returns {KeptGame | null} the game session that is open */
export function keptGame() {
  return read(gameKey);
}

/** @param {KeptGame | null} game */
export function keepGame(game) {
  write(gameKey, game);
}

/** @param {string} key */
function read(key) {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? 'null');
  } catch {
    return null;
  }
}

/**
 * @param {string} key
 * @param {unknown} value
 */
function write(key, value) {
  try {
    if (value === null) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, JSON.stringify(value));
  } catch {
    // No access to storage: the player signs in again after a reload.
  }
}
