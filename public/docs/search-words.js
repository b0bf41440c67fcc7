import { stemmer } from 'stemmer';

/** Words of a question that say nothing about its subject. */
export const stopWords = new Set(
  (
    'a an and are as at be by can could do does for from get give has have how i if in into is it its ' +
    'make me my need of on one or our s should so some that the their them then there this to use using ' +
    'want was we what when where which who why will with would you your'
  ).split(' '),
);

/** For words that people type, those that the manual uses. */
const written = {
  account: ['player', 'guest'],
  anonymous: ['guest'],
  anticheat: ['cheating'],
  auth: ['authentication', 'sign'],
  block: ['mute', 'moderation'],
  clan: ['channel', 'group'],
  cheat: ['serverOnly'],
  changelog: ['release'],
  cloud: ['state'],
  cors: ['origin'],
  coroutine: ['asyncio'],
  csharp: ['unity'],
  downtime: ['maintenance'],
  delete: ['erase', 'remove'],
  deploy: ['operating'],
  docker: ['container'],
  dm: ['message'],
  favourite: ['favorite'],
  feature: ['config'],
  flag: ['config'],
  gate: ['require', 'access'],
  gdpr: ['erase', 'export'],
  gdscript: ['godot'],
  happy: ['calendar'],
  highscore: ['leaderboard', 'score'],
  host: ['operating'],
  javascript: ['typescript'],
  login: ['sign', 'authentication'],
  lobby: ['matchmaking'],
  match: ['matchmaking'],
  notes: ['release'],
  nft: ['token'],
  patch: ['release'],
  migrate: ['export', 'import'],
  multiplayer: ['matchmaking'],
  password: ['secret', 'token'],
  postgres: ['postgresql'],
  privacy: ['erase'],
  push: ['notification', 'live'],
  ranking: ['leaderboard'],
  realtime: ['live'],
  restore: ['backup'],
  reward: ['prize'],
  save: ['state'],
  savegame: ['state'],
  scale: ['scaling'],
  storage: ['state'],
  throttle: ['limit'],
  tls: ['proxy', 'https'],
  token: ['launcherJwt'],
  tournament: ['season', 'leaderboard'],
  user: ['player'],
  webgl: ['unity'],
  websocket: ['live', 'protocol'],
};

/** By the stem of the typed word. */
export const meanings = new Map(Object.entries(written).map(([word, others]) => [stemmer(word), others]));
