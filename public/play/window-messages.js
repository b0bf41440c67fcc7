/**
 * What passes between the launcher and the page of a game, in the form that games of basement.fun know.
 * @typedef {import('../../src/rules/events.ts').WindowMessage} WindowMessage
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

/** What games ask their launcher for that this one does not have, in words for the player. */
const wishes = new Map([
  ['TIP_REQUEST', 'a tip'],
  ['TRADE_REQUEST', 'a trade'],
]);

/**
 * The answer to a request that a game's page posted, and what the player is told; null when it is no request.
 * @param {unknown} message
 * @returns {{ type: string, answer: Callback, notice: string } | null}
 */
export function answerTo(message) {
  if (typeof message !== 'object' || message === null || !('type' in message)) return null;
  const { type } = message;
  if (typeof type !== 'string' || !/^[A-Z]+(_[A-Z]+)*_REQUEST$/.test(type) || type.length > 100) return null;
  const wish = wishes.get(type);
  const error = wish ? `This launcher does not support ${wish}` : 'This launcher does not know this request';
  return {
    type,
    answer: {
      source: 'basement',
      payload: {
        callbackType: 'event-callbacks',
        callbackUuid: crypto.randomUUID(),
        data: { type, success: false, error },
      },
    },
    notice: wish
      ? `The game asked for ${wish}, which this launcher does not support.`
      : 'The game asked for something this launcher does not know.',
  };
}
