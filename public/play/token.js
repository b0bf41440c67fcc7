/**
 * The claims of a `launcherJwt`, for display; only the server verifies it.
 * @typedef {{ jti: string, exp: number, gameId: string, address: string, username?: string, avatar: string }} Claims
 */

/**
 * @param {string} launcherJwt
 * @returns {Claims}
 */
export function claimsOf(launcherJwt) {
  const payload = (launcherJwt.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/');
  const bytes = Uint8Array.from(atob(payload), (character) => character.codePointAt(0) ?? 0);
  return JSON.parse(new TextDecoder().decode(bytes));
}
