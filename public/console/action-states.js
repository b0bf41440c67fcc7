/** @typedef {import('./admin.js').Output<'listActions'>['data'][number]['state']} ActionState */

/**
 * The badge tone of each state of a queued action; deliveries are queued actions.
 * @type {Readonly<Record<ActionState, string>>}
 */
export const stateTones = {
  queued: 'info',
  submitted: 'warn',
  confirmed: 'good',
  failed: 'bad',
  cancelled: '',
};

/**
 * @param {string} text
 * @returns {text is ActionState}
 */
export function isActionState(text) {
  return Object.hasOwn(stateTones, text);
}
