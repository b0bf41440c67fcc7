/**
 * What a launcher stores for the lifetime of its tab: two tabs can be two players, a reload keeps the player, and
 * nothing remains on a shared computer.
 * @typedef {{ launcherJwt: string, guest: boolean }} StoredPlayer
 * @typedef {{ gameId: string, launcherJwt: string }} StoredGame
 * @typedef {import('gantry-client').OperationInput<'setStatus'> & { text: string }} StoredStatus
 */

const playerKey = 'gantry-play-player';
const gameKey = 'gantry-play-game';
const reloadKey = 'gantry-play-reloaded-for';

/**
 * Device secrets of guests, stored permanently: anyone who uses this browser can continue as one of them.
 * @typedef {{ wallet: string, deviceSecret: string, name?: string }} StoredDevice `name`: the guest's, once it is known
 */
const devicesKey = 'gantry-play-devices';
const maxDevices = 10;

/** @returns {StoredDevice[]} the one that signed in last comes first */
export function storedDevices() {
  try {
    const stored = JSON.parse(localStorage.getItem(devicesKey) ?? '[]');
    return Array.isArray(stored) ? stored : [];
  } catch {
    return [];
  }
}

/** Stores a guest's device that signs in; beyond `maxDevices`, the one that has not for longest is lost. @param {StoredDevice} device */
export function storeDevice(device) {
  const others = storedDevices().filter(({ wallet }) => wallet !== device.wallet);
  writeDevices([device, ...others].slice(0, maxDevices));
}

/** Under its name a guest is offered at the next sign-in. @param {string} wallet @param {string} name */
export function nameDevice(wallet, name) {
  writeDevices(storedDevices().map((device) => (device.wallet === wallet ? { ...device, name } : device)));
}

/** @param {string} wallet */
export function forgetDevice(wallet) {
  writeDevices(storedDevices().filter((device) => device.wallet !== wallet));
}

/** @param {readonly StoredDevice[]} devices */
function writeDevices(devices) {
  try {
    localStorage.setItem(devicesKey, JSON.stringify(devices));
  } catch {
    // No access to storage: the guest is lost with the tab.
  }
}

/** What friends see of each player, stored permanently: who appears offline does so at the next visit too. */
const statusesKey = 'gantry-play-statuses';
const maxStatuses = 20;

/** @param {string} wallet @returns {StoredStatus | null} null: the player has chosen none in this browser */
export function storedStatus(wallet) {
  const stored = storedStatuses().find((one) => one.wallet === wallet);
  return stored ? { status: stored.status, text: stored.text } : null;
}

/** @param {string} wallet @param {StoredStatus} status */
export function storeStatus(wallet, { status, text }) {
  const others = storedStatuses().filter((one) => one.wallet !== wallet);
  try {
    localStorage.setItem(
      statusesKey,
      JSON.stringify([{ wallet, status, text }, ...others].slice(0, maxStatuses)),
    );
  } catch {
    // No access to storage: the server remembers it for a while.
  }
}

/** @returns {(StoredStatus & { wallet: string })[]} latest first */
function storedStatuses() {
  try {
    const stored = JSON.parse(localStorage.getItem(statusesKey) ?? '[]');
    return Array.isArray(stored) ? stored : [];
  } catch {
    return [];
  }
}

/** @returns {StoredPlayer | null} */
export function storedPlayer() {
  return read(playerKey);
}

/** @param {StoredPlayer | null} player */
export function storePlayer(player) {
  write(playerKey, player);
  if (player === null) write(gameKey, null);
}

/** The player's session was renewed. @param {string} launcherJwt */
export function storeRenewed(launcherJwt) {
  const player = storedPlayer();
  if (player && player.launcherJwt !== launcherJwt) write(playerKey, { ...player, launcherJwt });
}

/** @returns {StoredGame | null} the game session that is open */
export function storedGame() {
  return read(gameKey);
}

/** @param {StoredGame | null} game */
export function storeGame(game) {
  write(gameKey, game);
}

/**
 * Whether the page may be loaded again because its policy did not allow a game's host: once, as the policy of a proxy may
 * never allow it.
 * @param {string} origin
 */
export function mayReloadFor(origin) {
  if (read(reloadKey) === origin) return false;
  write(reloadKey, origin);
  return true;
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
