import { type RowOf, table } from '../../core/storage/table.ts';

const friendshipColumns = {
  /** Whose list it is in. */
  wallet: 'text',
  other: 'text',
  /**
   * `friend`, `sent` or `received`; `declined`: the other's requests are ignored until it expires; `former`: it was one
   * of the former, kept as long as events may name the other; `removed`: the owner has ended a friendship, and importing
   * does not bring it back.
   */
  state: 'text',
  /** 1 if the player marked the friend. */
  favorite: 'int',
  note: 'text',
  /** Of a request. */
  message: 'text',
  changedAt: 'ms',
  /** From then on the row counts as absent; `never` for friends. */
  expiresAt: 'ms',
} as const;

/**
 * Two directed rows a pair, written by one command: friend and friend, or sent and received. Who declines or blocks has
 * no `received`, or another state, which the sender must not learn of.
 */
export const friendships = table('friendships', friendshipColumns, {
  key: ['wallet', 'other'],
  indexes: {
    byState: { on: ['wallet', 'state', 'changedAt', 'other'] },
    byOther: { on: ['other', 'wallet'] },
    byExpiry: { on: ['expiresAt', 'wallet', 'other'] },
  },
  of: { player: 'wallet', names: ['other'], texts: ['note', 'message'] },
  cacheable: 'lists',
});
export type FriendshipRow = RowOf<typeof friendshipColumns>;

const friendCodeColumns = { wallet: 'text', code: 'text' } as const;
export const friendCodes = table('friend_codes', friendCodeColumns, {
  key: ['wallet'],
  indexes: { byCode: { on: ['code'], unique: true } },
  of: { player: 'wallet' },
});

const privacyColumns = {
  wallet: 'text',
  requests: 'text',
  presence: 'text',
  showGame: 'int',
  invites: 'text',
  searchable: 'int',
  showPlaytime: 'int',
  updatedAt: 'ms',
} as const;

/** What players let others know and do; who never changed it has no row. */
export const playerPrivacy = table('player_privacy', privacyColumns, {
  key: ['wallet'],
  of: { player: 'wallet' },
  cacheable: 'lists',
});
export type PrivacyRow = RowOf<typeof privacyColumns>;

const inviteColumns = {
  id: 'uuid',
  sender: 'text',
  wallet: 'text',
  gameId: 'uuid',
  /** What the game needs to join the sender there. */
  connect: 'text',
  message: 'text',
  createdAt: 'ms',
  expiresAt: 'ms',
} as const;

export const invites = table('invites', inviteColumns, {
  key: ['id'],
  indexes: {
    byReceiver: { on: ['wallet', 'id'] },
    bySender: { on: ['sender', 'id'] },
    byExpiry: { on: ['expiresAt', 'id'] },
    byGame: { on: ['gameId', 'id'] },
  },
  of: {
    player: 'sender',
    names: ['wallet'],
    game: 'gameId',
    stays: 'invites expire within minutes',
    texts: ['connect', 'message'],
  },
});
export type InviteRow = RowOf<typeof inviteColumns>;
