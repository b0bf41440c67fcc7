/**
 * What a launcher stores for the lifetime of its tab: two tabs are two players, a reload is the same one, and
 * nothing of a player stays on a shared computer.
 * @typedef {{ launcherJwt: string, guest: boolean }} KeptPlayer
 * @typedef {{ gameId: string, launcherJwt: string }} KeptGame
 */

const playerKey = 'gantry-play-player';
const gameKey = 'gantry-play-game';

/**
 * Devices of players without a wallet, for as long as the browser keeps them: whoever uses this browser can go on as one.
 * @typedef {{ wallet: string, deviceSecret: string }} KeptDevice
 */
const devicesKey = 'gantry-play-devices';
const maxDevices = 5;

/** @returns {KeptDevice[]} newest first */
export function keptDevices() {
  try {
    const kept = JSON.parse(localStorage.getItem(devicesKey) ?? '[]');
    return Array.isArray(kept) ? kept : [];
  } catch {
    return [];
  }
}

/** @param {KeptDevice} device */
export function keepDevice(device) {
  writeDevices([device, ...keptDevices()].slice(0, maxDevices));
}

/** @param {string} wallet */
export function forgetDevice(wallet) {
  writeDevices(keptDevices().filter((device) => device.wallet !== wallet));
}

/** @param {readonly KeptDevice[]} devices */
function writeDevices(devices) {
  try {
    localStorage.setItem(devicesKey, JSON.stringify(devices));
  } catch {
    // No access to storage: the guest is lost with the tab.
  }
}

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
