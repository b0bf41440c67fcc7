/**
 * Messages between the launcher and a game's page, in the format of basement.fun games.
 * @typedef {import('../../src/features/rules/events.ts').WindowMessage} WindowMessage
 * @typedef {{ source: 'basement', payload: { callbackType: string, callbackUuid: string, ruleActionType?: string, data: unknown } }} Callback
 */

/**
 * A rule's `PostWindowMessage`, for the game's page.
 * @param {WindowMessage} record
 * @returns {Callback}
 */
export function ruleCallback(record) {
  return {
    source: 'basement',
    payload: {
      callbackType: 'rules-engine-all-callbacks',
      callbackUuid: record._id,
      ruleActionType: 'PostWindowMessage',
      data: record,
    },
  };
}

/** A game's client asks for the token of its session, as `connect` of the SDKs does. @param {unknown} message */
export function isTokenRequest(message) {
  return (
    typeof message === 'object' &&
    message !== null &&
    'type' in message &&
    message.type === 'GANTRY_TOKEN_REQUEST'
  );
}

/** The answer takes longer than the game would otherwise wait. */
export const tokenPending = { source: 'gantry', type: 'GANTRY_TOKEN_PENDING' };

/** @param {string} launcherJwt */
export function tokenMessage(launcherJwt) {
  return { source: 'gantry', type: 'GANTRY_TOKEN', launcherJwt };
}

/**
 * Asks the game to join a friend, by what the friend's game gave to `setRichPresence`.
 * @param {{ connect: string, from: string }} join
 */
export function joinMessage({ connect, from }) {
  return { source: 'gantry', type: 'GANTRY_JOIN', connect, from };
}

/** Requests that games make but this launcher does not support, with descriptions for the player. */
const unsupported = new Map([
  ['TIP_REQUEST', 'a tip'],
  ['TRADE_REQUEST', 'a trade'],
]);

/**
 * The response to a request posted by a game's page, with a notice for the player; null when it is not a request.
 * @param {unknown} message
 * @returns {{ type: string, response: Callback, notice: string } | null}
 */
export function responseTo(message) {
  if (typeof message !== 'object' || message === null || !('type' in message)) return null;
  const { type } = message;
  if (typeof type !== 'string' || !/^[A-Z]+(_[A-Z]+)*_REQUEST$/.test(type) || type.length > 100) return null;
  const feature = unsupported.get(type);
  const error = feature
    ? `This launcher does not support ${feature}`
    : 'This launcher does not support this request';
  return {
    type,
    response: {
      source: 'basement',
      payload: {
        callbackType: 'event-callbacks',
        // `crypto.randomUUID` is not available on pages without TLS.
        callbackUuid: crypto.getRandomValues(new Uint32Array(4)).join('-'),
        data: { type, success: false, error },
      },
    },
    notice: feature
      ? `The game requested ${feature}, which this launcher does not support.`
      : 'The game sent a request that this launcher does not support.',
  };
}
