/** @typedef {import('./admin.js').Output<'listMutes'>['data'][number]} Mute */

/** @type {Readonly<Record<Mute['mutedBy'], string>>} */
export const muters = {
  channel: "the channel's admin",
  server: "the game's server",
  moderator: 'a moderator',
};

/** @type {readonly (readonly [seconds: string, label: string])[]} */
export const muteTimes = [
  ['3600', '1 hour'],
  ['86400', '1 day'],
  ['604800', '7 days'],
  ['2592000', '30 days'],
];
