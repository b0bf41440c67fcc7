import type { Store } from '../../store.ts';

/** The parts of the store that are asked by their methods. */
export type Part = {
  [Name in keyof Store]: Store[Name] extends (...args: never) => unknown ? never : Name;
}[keyof Store];

/**
 * Which thread a method runs in: what changes something in the writer's, where it shares a transaction with
 * the others; what only reads in the caller's, on a connection of its own. A method that is not listed does
 * not compile.
 */
export const methods: { readonly [Name in Part]: Readonly<Record<keyof Store[Name], 'read' | 'write'>> } = {
  games: {
    create: 'write',
    find: 'read',
    findBySlug: 'read',
    findByOrigin: 'read',
    list: 'read',
    update: 'write',
    rotateSecret: 'write',
    listSecrets: 'read',
    revokeSecret: 'write',
    findBySecretHash: 'read',
    sealedSecrets: 'read',
    consumeNonce: 'write',
  },
  players: { setProfile: 'write', list: 'read', ban: 'write', unban: 'write', erase: 'write' },
  sessions: {
    requestSignIn: 'write',
    gameOfSignIn: 'read',
    beginAttempt: 'write',
    giveBackAttempt: 'write',
    completeSignIn: 'write',
    open: 'write',
    find: 'read',
    listLive: 'read',
    end: 'write',
    expire: 'write',
    revoke: 'write',
    retire: 'write',
    revokeInGame: 'write',
    list: 'read',
    lastExpiry: 'read',
    recordPresence: 'write',
    toldPresent: 'read',
  },
  scores: {
    set: 'write',
    find: 'read',
    list: 'read',
    leaderboard: 'read',
    position: 'read',
    remove: 'write',
  },
  states: { set: 'write', list: 'read' },
  playSessions: { track: 'write' },
  activities: { record: 'write', list: 'read' },
  notifications: { send: 'write', undelivered: 'read', markDelivered: 'write' },
  messageChannels: {
    create: 'write',
    get: 'read',
    list: 'read',
    addParticipant: 'write',
    removeParticipant: 'write',
    editInfo: 'write',
    listOfGame: 'read',
  },
  channelMembers: { list: 'read' },
  messages: {
    list: 'read',
    send: 'write',
    edit: 'write',
    unsend: 'write',
    listForModeration: 'read',
    remove: 'write',
  },
  rules: { get: 'read', set: 'write', trigger: 'write' },
  events: {
    epoch: 'read',
    lastPosition: 'read',
    after: 'read',
    standings: 'read',
    standing: 'read',
    ofStream: 'read',
    trim: 'write',
  },
  audit: { begin: 'write', finish: 'write', list: 'read' },
};
