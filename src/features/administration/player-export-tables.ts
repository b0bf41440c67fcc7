import { events, streams } from '../../core/events/tables.ts';
import type { AnyTable } from '../../core/storage/table.ts';
import { activities } from '../activities/tables.ts';
import { friendCodes, friendships, invites, playerPrivacy } from '../friends/tables.ts';
import { gameFavorites } from '../games/tables.ts';
import { idempotencyKeys } from '../idempotency/tables.ts';
import { playerBlocks } from '../messages/blocks/tables.ts';
import { playerMutes } from '../messages/mutes/tables.ts';
import {
  declinedAdders,
  formerParticipants,
  messageChannels,
  messageReactions,
  messages,
  participants,
  readMarkers,
} from '../messages/tables.ts';
import { playerReports } from '../moderation/reports/tables.ts';
import { newsMarks } from '../news/tables.ts';
import { mutedGames, notifications } from '../notifications/tables.ts';
import { playSessions } from '../play-sessions/tables.ts';
import { bans, guestDevices, guests, players } from '../players/tables.ts';
import { openPlays, playtime } from '../playtime/tables.ts';
import { actions, grants, spending, spent } from '../queue/tables.ts';
import { ruleExecutions, ruleTriggers } from '../rules/tables.ts';
import { leaderboardEntries, leaderboardRecords } from '../scores/leaderboard-tables.ts';
import { board, scores } from '../scores/tables.ts';
import { announcedPresent, openedGames, sessions, signIns } from '../sessions/tables.ts';
import { states } from '../states/tables.ts';
import { gameStorage, storageUse } from '../storage-quota/tables.ts';
import { auditLog, erasures } from './tables.ts';

/** How the rows of one player are exported from a table. Columns are given by their declared names. */
export interface ExportedTable {
  table: AnyTable;
  /** The columns that are exported; a column added later is not, until it is listed here. */
  columns: readonly string[];
  /** Further fields, as SQL expressions of the row, `t`; with the scope `stream` of its game, @gameId, too. */
  computed?: Readonly<Record<string, string>>;
  /** The other columns, each with the reason why it is not exported. */
  omitted: Readonly<Record<string, string>>;
  /**
   * The columns that order the player's rows, uniquely within the `scope`. With the scope's columns they lead an index
   * (or are the table's key), so that a page is read without reading the rows of those before it.
   */
  order: readonly string[];
  /** SQLite orders by rowid instead: its index by player has no other column. */
  isByRowid?: true;
  /** Rows are found by wallet (default), by wallet and game, or by stream: as the table is indexed. */
  scope?: 'game' | 'stream';
  /** A further condition on the row, `t`. */
  where?: string;
  /** Rows may hold up to a megabyte, so few are read at a time. */
  isLarge?: true;
}

const known = 'the player whose export it is';
const numbering = 'internal numbering';
const throughGame = 'exported as gameId';
const gameOfChannel = { gameId: '(SELECT c.game_id FROM message_channels AS c WHERE c.id = t.channel_id)' };

/** A column of the leaderboard of a record: of its current season, or of a finished one. */
function ofLeaderboard(current: string, finished: string): string {
  return `coalesce(
    (SELECT l.${current} FROM leaderboards AS l JOIN boards AS b ON b.game_id = l.season_id
      WHERE l.game_id = @gameId AND b.id = t.board_id),
    (SELECT s.${finished} FROM leaderboard_seasons AS s JOIN boards AS b ON b.game_id = s.id
      WHERE b.id = t.board_id))`;
}

/** Everything that is exported of a player, in this order. */
export const exportedTables: readonly ExportedTable[] = [
  {
    table: players,
    columns: ['wallet', 'userId', 'username', 'avatar', 'createdAt'],
    omitted: { searchName: 'the name again, for searching', createdBy: 'a quota counts it' },
    order: ['wallet'],
  },
  {
    table: guests,
    columns: ['address', 'vouchedBy', 'createdAt', 'upgradedAt'],
    omitted: { wallet: known, playerKey: 'a hash that identifies a sign-in', sweepAt: 'internal schedule' },
    order: ['address'],
  },
  {
    table: guestDevices,
    columns: ['id', 'name', 'createdAt', 'lastUsedAt'],
    omitted: { wallet: known, secretHash: 'hash of a secret' },
    order: ['id'],
  },
  {
    table: bans,
    columns: ['gameId', 'reason', 'at'],
    omitted: { wallet: known },
    order: ['gameId'],
  },
  {
    table: playerMutes,
    columns: ['gameId', 'channelId', 'until', 'reason', 'createdAt'],
    omitted: { wallet: known, mutedBy: 'identifies a moderator or another player' },
    order: ['gameId', 'channelId', 'mutedBy'],
  },
  {
    table: sessions,
    columns: ['id', 'gameId', 'openedAt', 'expiresAt', 'endedAt', 'endReason', 'openedBy'],
    omitted: { wallet: known, followsLauncher: 'internal', storedBytes: 'counted by a quota' },
    order: ['openedAt', 'id'],
  },
  {
    table: scores,
    columns: ['id', 'nonce', 'score', 'reachedAt', 'updatedAt', 'sessionId', 'metadata'],
    omitted: { stream: throughGame, revision: numbering },
    order: ['revision'],
    scope: 'stream',
  },
  {
    table: leaderboardRecords,
    columns: ['id', 'nonce', 'score', 'reachedAt', 'updatedAt', 'sessionId', 'label', 'metadata'],
    computed: {
      leaderboard: ofLeaderboard('name', 'leaderboard'),
      season: ofLeaderboard('season', 'season'),
    },
    omitted: {
      board: 'exported as leaderboard and season',
      stream: throughGame,
      revision: numbering,
      sortScore: 'the score again, for ordering',
    },
    order: ['board', 'revision'],
    scope: 'stream',
  },
  {
    table: states,
    columns: ['id', 'gameId', 'label', 'ipfsHash', 'json', 'updatedAt', 'version', 'isPrivate'],
    omitted: { wallet: known, revision: numbering },
    order: ['label'],
    scope: 'game',
    isLarge: true,
  },
  {
    table: playSessions,
    columns: ['id', 'gameId', 'state', 'startedAt', 'updatedAt', 'endTime'],
    omitted: { wallet: known },
    order: ['startedAt', 'id'],
    scope: 'game',
    isLarge: true,
  },
  {
    table: playtime,
    columns: ['gameId', 'ms', 'sessions', 'firstAt', 'startedAt', 'lastAt'],
    omitted: { wallet: known },
    order: ['gameId'],
  },
  {
    table: activities,
    columns: ['id', 'gameId', 'type', 'label', 'eventId', 'timestamp'],
    omitted: { wallet: known },
    order: ['timestamp', 'id'],
  },
  {
    table: notifications,
    columns: ['id', 'gameId', 'message', 'type', 'createdAt', 'deliveredAt', 'readAt', 'expiresAt'],
    omitted: { wallet: known, eventSeq: numbering },
    order: ['createdAt', 'id'],
  },
  {
    table: mutedGames,
    columns: ['gameId', 'mutedAt'],
    omitted: { wallet: known },
    order: ['gameId'],
  },
  {
    table: playerBlocks,
    columns: ['gameId', 'blocked', 'createdAt'],
    omitted: { wallet: known },
    order: ['gameId', 'blocked'],
  },
  {
    table: friendships,
    columns: ['other', 'state', 'favorite', 'note', 'message', 'changedAt'],
    omitted: { wallet: known, expiresAt: 'internal schedule' },
    order: ['other'],
    where: "t.state IN ('friend', 'sent', 'received')",
  },
  {
    table: playerPrivacy,
    columns: ['requests', 'presence', 'showGame', 'invites', 'searchable', 'showPlaytime', 'updatedAt'],
    omitted: { wallet: known },
    order: ['wallet'],
  },
  {
    table: gameFavorites,
    columns: ['gameId', 'createdAt'],
    omitted: { wallet: known },
    order: ['gameId'],
  },
  {
    table: openedGames,
    columns: ['gameId', 'openedAt'],
    omitted: { wallet: known },
    order: ['gameId'],
  },
  {
    table: newsMarks,
    columns: ['gameId', 'newsId', 'publishedAt'],
    omitted: { wallet: known },
    order: ['gameId'],
  },
  {
    table: participants,
    columns: ['channelId', 'gameId', 'userGroup', 'permissions'],
    omitted: { wallet: known, position: numbering, joinedSeq: numbering, addedBy: 'another player' },
    order: ['gameId', 'channelId'],
  },
  {
    table: formerParticipants,
    columns: ['channelId'],
    computed: gameOfChannel,
    omitted: { wallet: known, joinedSeq: numbering, leftSeq: numbering },
    order: ['channelId', 'joinedSeq'],
  },
  {
    table: messages,
    columns: ['id', 'channelId', 'content', 'createdAt', 'updatedAt', 'replyTo'],
    computed: gameOfChannel,
    omitted: { sender: known, eventSeqs: numbering, reactions: "other players' reactions" },
    order: ['id'],
    isByRowid: true,
  },
  {
    table: messageReactions,
    columns: ['messageId', 'channelId', 'reaction', 'createdAt'],
    computed: gameOfChannel,
    omitted: { wallet: known },
    order: ['messageId', 'reaction'],
  },
  {
    table: readMarkers,
    columns: ['channelId', 'messageId', 'readAt'],
    computed: gameOfChannel,
    omitted: { wallet: known, readSeq: numbering },
    order: ['channelId'],
  },
  {
    table: playerReports,
    columns: [
      'id',
      'gameId',
      'subject',
      'messageId',
      'channelId',
      'reason',
      'comment',
      'status',
      'createdAt',
      'closedAt',
    ],
    omitted: { reporter: known, closedBy: 'identifies a moderator', note: "a moderator's note" },
    order: ['gameId', 'createdAt', 'id'],
  },
  {
    table: ruleTriggers,
    columns: ['id', 'gameId', 'nonce', 'trigger', 'value', 'valueText', 'actions', 'at'],
    omitted: { wallet: known },
    order: ['id'],
  },
  {
    table: actions,
    columns: [
      'id',
      'gameId',
      'type',
      'triggerId',
      'state',
      'transactionHash',
      'createdAt',
      'updatedAt',
      'endedAt',
    ],
    omitted: {
      wallet: known,
      kind: 'internal',
      lane: 'internal',
      payload: 'instructions to a worker',
      attempts: 'internal',
      dueAt: 'internal schedule',
      deadlineAt: 'internal schedule',
      claimedBy: 'internal',
      claimedUntil: 'internal schedule',
      error: 'for operators',
    },
    order: ['id'],
    isByRowid: true,
    where: "t.kind <> 'webhook'", // copies, for the game's server, of what is exported
  },
  {
    table: grants,
    columns: ['gameId', 'achievement', 'actionId', 'granted', 'at'],
    omitted: { wallet: known },
    order: ['achievement'],
    scope: 'game',
  },
];

/** Tables with traces of players that are not exported, each with the reason. */
export const leftOutTables: ReadonlyMap<AnyTable, string> = new Map<AnyTable, string>([
  [friendCodes, 'can be replaced at any time (resetFriendCode)'],
  [openPlays, 'internal: the game that is open, which becomes playtime'],
  [invites, 'which expire within ten minutes'],
  [signIns, 'sign-ins in progress, which expire within ten minutes'],
  [announcedPresent, 'internal: sessions last announced as present'],
  [idempotencyKeys, 'internal: results of recent calls, kept for a day'],
  [board, 'derived from the scores'],
  [leaderboardEntries, 'derived from the leaderboard records'],
  [declinedAdders, 'derived from leaving channels, and identifies other players'],
  [ruleExecutions, 'counters of limits'],
  [spending, 'counters of limits'],
  [spent, 'counters of limits'],
  [storageUse, 'counters of limits'],
  [gameStorage, 'counters of limits'],
  [messageChannels, 'shared by players; who chose the name and the picture is not recorded'],
  [auditLog, "administrators' actions"],
  [erasures, 'internal: what is left to erase'],
  [streams, 'internal numbering of events'],
  [events, 'announcements of what is exported'],
]);
