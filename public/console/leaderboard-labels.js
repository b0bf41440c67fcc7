/** Labels and descriptions of leaderboards for the whole console. */

/** @typedef {import('./admin.js').Output<'listLeaderboards'>['leaderboards'][number]} Leaderboard */

/** @type {readonly (readonly [value: Leaderboard['keep'], label: string])[]} */
export const keepChoices = [
  ['best', 'Best score'],
  ['latest', 'Latest score'],
  ['sum', 'Sum of scores'],
  ['count', 'Count of scores'],
];

/** @type {readonly (readonly [value: Leaderboard['order'], label: string])[]} */
export const orderChoices = [
  ['desc', 'Highest first'],
  ['asc', 'Lowest first'],
];

/** @type {readonly (readonly [value: Leaderboard['entries'], label: string])[]} */
export const entriesChoices = [
  ['player', 'One per player'],
  ['all', 'Every score'],
];

/**
 * The label of a choice.
 * @param {readonly (readonly [value: string, label: string])[]} choices
 * @param {string} value
 */
function labelOf(choices, value) {
  return choices.find(([one]) => one === value)?.[1] ?? value;
}

/**
 * `Best score, highest first`, or `Every score, highest first`
 * @param {Pick<Leaderboard, 'keep' | 'order'> & { entries?: Leaderboard['entries'] }} board
 */
export function rankingOf({ keep, order, entries }) {
  const ranked = entries === 'all' ? 'Every score' : labelOf(keepChoices, keep);
  return `${ranked}, ${labelOf(orderChoices, order).toLowerCase()}`;
}

/** The predefined schedules; others are cron expressions. */
export const scheduleChoices = /** @type {const} */ ([
  ['', 'Without a schedule'],
  ['0 0 * * *', 'Every day at midnight'],
  ['0 0 * * 1', 'Every Monday at midnight'],
  ['0 0 1 * *', 'On the first of the month at midnight'],
]);

/**
 * `Every Monday at midnight (Europe/Berlin)`
 * @param {Leaderboard['schedule']} schedule
 */
export function scheduleText(schedule) {
  if (schedule === null) return 'No schedule';
  const known = scheduleChoices.find(([cron]) => cron === schedule.cron)?.[1];
  return `${known ?? schedule.cron} (${schedule.timeZone})`;
}
