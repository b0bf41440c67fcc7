/** Every view of the console of the demo game's server, with what shows that it is there. */
export const consoleViews: readonly (readonly [view: string, shows: string])[] = [
  ['', '.chart canvas'],
  ['games', '.game-item'],
  ['players', 'table'],
  ['queue', '.table-card :is(table, .state)'],
  ['events', 'table'],
  ['audit', '.table-card :is(table, .state)'],
  ['games/demo-game/settings', '.policies'],
  ['games/demo-game/leaderboard', 'table'],
  ['games/demo-game/players', 'table'],
  ['games/demo-game/states', '.table-card :is(table, .state)'],
  ['games/demo-game/play-sessions', '.table-card :is(table, .state)'],
  ['games/demo-game/activities', 'table'],
  ['games/demo-game/messages', 'table'],
  ['games/demo-game/rules', '.fine'],
  ['games/demo-game/queue', '.table-card :is(table, .state)'],
  ['games/demo-game/events', 'table'],
];
