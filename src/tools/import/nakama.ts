import { basename } from 'node:path';
import { millisecondsOf } from '../../features/player-import/record.ts';
import { type Row, rowsOf } from './delimited.ts';
import { jsonOf, roundedIn } from './generic.ts';
import { byName, type Findings, type Source, type SourceRecord } from './source.ts';

/** What owns things that belong to no user. */
const systemUser = '00000000-0000-0000-0000-000000000000';

const keepOf = byName({ 0: 'best', 1: 'latest', 2: 'sum', 3: 'sum' });
const friendOf = byName({ 0: 'friend', 3: 'block' });

/** Tables without a counterpart. */
const leftOut = byName({
  groups: 'Gantry has no groups',
  group_edge: 'Gantry has no groups',
  message: 'chat messages are not imported',
  notification: 'notifications are not imported',
  wallet_ledger: 'Gantry has no virtual currencies',
  purchase: 'Gantry validates no purchases',
  subscription: 'Gantry validates no purchases',
  user_device: "players sign in by your game's server, which can look them up in this table",
  user_tombstone: 'deleted users are not imported',
});

/**
 * CSV of tables of Nakama's database, made with `COPY … TO … WITH (FORMAT csv, HEADER)`: `users.csv`, `leaderboard.csv`,
 * `leaderboard_record.csv`, `storage.csv`, `user_edge.csv`. Columns are found by name, so those of other versions are fine.
 */
export const nakama: Source = function* (files, findings) {
  for (const file of files) {
    const table = basename(file)
      .replace(/^public\./, '')
      .replace(/\.csv$/i, '');
    const read = tables.get(table);
    if (read) for (const row of rowsOf(file, findings, needed.get(table))) yield* read(row, findings);
    else {
      let count = 0;
      for (const _ of rowsOf(file, { ...findings, refuse: () => {} })) count++;
      findings.leaveOut(table, leftOut.get(table) ?? 'this table is not imported', count);
    }
  }
};

/** Columns without which rows would be imported as what they are not. */
const needed = byName<readonly string[]>({
  users: ['id', 'username'],
  leaderboard: ['id', 'sort_order', 'operator'],
  leaderboard_record: ['leaderboard_id', 'owner_id', 'score', 'expiry_time'],
  storage: ['collection', 'key', 'user_id', 'value', 'read'],
  user_edge: ['source_id', 'destination_id', 'state'],
});

type Read = (row: Row, findings: Findings) => Iterable<SourceRecord>;

const tables = byName<Read>({
  *users({ row, ...place }, findings) {
    const { id, username, display_name, create_time, metadata } = row;
    if (id === systemUser) return;
    const logins = loginsOf(row);
    yield {
      record: {
        type: 'player',
        id,
        name: display_name || username,
        ...maybe('createdAt', create_time),
        logins,
      },
      ...place,
    };
    if (metadata && metadata !== '{}') {
      yield { record: { type: 'state', player: id, label: 'metadata', state: metadata }, ...place };
    }
    if (row.email || row.password) {
      findings.leaveOut(
        'e-mail addresses and passwords',
        "players sign in by your game's server, or with a wallet",
      );
    }
    if (row.avatar_url) findings.leaveOut('avatars', 'pictures are not imported');
    if (row.wallet && row.wallet !== '{}') findings.leaveOut('wallets', 'Gantry has no virtual currencies');
    if (row.disable_time && !row.disable_time.startsWith('1970-01-01')) {
      findings.leaveOut('bans', 'users who are disabled are imported without it: ban them again');
    }
  },
  *leaderboard({ row, ...place }, findings) {
    const { id, sort_order, operator = '0', reset_schedule } = row;
    yield {
      record: {
        type: 'leaderboard',
        name: id,
        order: sort_order === '0' ? 'asc' : 'desc',
        keep: keepOf.get(operator),
        ...maybe('cron', reset_schedule),
      },
      ...place,
    };
    if (operator === '3')
      findings.leaveOut('operator decrement', 'send negative scores to a leaderboard that sums');
    if (row.duration && row.duration !== '0') {
      findings.leaveOut('tournaments', 'imported as leaderboards, without their times and limits');
    }
  },
  *leaderboard_record({ row, ...place }, findings) {
    const {
      leaderboard_id,
      owner_id,
      score,
      subscore = '0',
      metadata = '{}',
      update_time,
      expiry_time = '',
    } = row;
    const ends =
      expiry_time === '' || expiry_time.startsWith('1970-01-01')
        ? Number.POSITIVE_INFINITY
        : millisecondsOf(expiry_time);
    if (ends <= Date.now()) {
      findings.leaveOut('records of ended periods', 'only the current season of a leaderboard is imported');
      return;
    }
    const inexact = roundedIn(metadata, 'metadata');
    if (inexact !== undefined) return findings.refuse(place, inexact);
    const value = jsonOf(metadata);
    const details = { ...(typeof value === 'object' && value), ...(subscore !== '0' && { subscore }) };
    yield {
      record: {
        type: 'score',
        player: owner_id,
        leaderboard: leaderboard_id,
        score,
        ...maybe('at', update_time),
        ...(Object.keys(details).length > 0 && { metadata: details }),
      },
      ...place,
    };
  },
  *storage({ row, ...place }, findings) {
    const { collection, key, user_id, value, read, write, update_time } = row;
    if (user_id === systemUser) findings.leaveOut('storage of the system user', 'states belong to players');
    else if (read === '0')
      findings.leaveOut('storage that only the server reads', 'players can read all their states');
    else {
      if (write === '0')
        findings.leaveOut(
          'write permissions',
          'players can change all their states, unless the policy serverOnly has setState',
        );
      yield {
        record: {
          type: 'state',
          player: user_id,
          label: `${collection}/${key}`,
          state: value,
          ...maybe('at', update_time),
          public: read === '2',
        },
        ...place,
      };
    }
  },
  *user_edge({ row, ...place }, findings) {
    const { source_id, destination_id, state = '' } = row;
    const type = friendOf.get(state);
    if (!type) findings.leaveOut('friend requests', 'players can ask again');
    else {
      const other = type === 'friend' ? 'friend' : 'blocked';
      yield { record: { type, player: source_id, [other]: destination_id }, ...place };
    }
  },
});

/** `custom_id` as `custom`. */
function loginsOf(row: Row['row']): Record<string, string> {
  const services = Object.entries(row).filter(([name, value]) => name.endsWith('_id') && value !== '');
  return Object.fromEntries(services.map(([name, value]) => [name.slice(0, -'_id'.length), value]));
}

/** An optional field, omitted when it is empty. */
export function maybe(name: string, value: string | undefined): Record<string, string> {
  return value === undefined || value === '' ? {} : { [name]: value };
}
