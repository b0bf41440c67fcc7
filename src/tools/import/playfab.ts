import { basename } from 'node:path';
import { rowsOf } from './delimited.ts';
import { jsonOf } from './generic.ts';
import { objectsOf } from './lines.ts';
import { maybe } from './nakama.ts';
import type { Findings, Place, Source, SourceRecord } from './source.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * The export of a segment (`ExportPlayersInSegment`: TSV files of player profiles) and NDJSON with an object a line: player
 * profiles as `GetPlayersInSegment` returns them, or, with the player's `PlayFabId` added, what `GetUserData` and
 * `GetFriendsList` return.
 */
export const playfab: Source = function* (files, findings) {
  const statistics = new Set<unknown>();
  for (const file of files) {
    if (/\.tsv$/i.test(file)) {
      for (const { row, ...place } of rowsOf(file, findings, ['PlayerId']))
        yield* profile(row, place, findings, statistics);
    } else if (/\.(ndjson|jsonl?)$/i.test(file)) {
      for (const { value, ...place } of objectsOf(file, findings))
        yield* response(value, place, findings, statistics);
    } else findings.leaveOut(basename(file), 'is neither .tsv nor .ndjson');
  }
};

function* response(
  value: Fields,
  place: Place,
  findings: Findings,
  statistics: Set<unknown>,
): Iterable<SourceRecord> {
  // As the API wraps it.
  const data = isFields(value.data) ? { ...value, ...value.data } : value;
  const { PlayFabId: player, Data: records, Friends: friends } = data;
  if (Array.isArray(data.PlayerProfiles)) {
    for (const one of data.PlayerProfiles)
      if (isFields(one)) yield* profile(one, place, findings, statistics);
  } else if (data.PlayerId !== undefined) yield* profile(data, place, findings, statistics);
  else if (isFields(records)) {
    for (const [label, record] of Object.entries(records)) {
      if (!isFields(record)) continue;
      const { Value: text, LastUpdated: at, Permission: permission } = record;
      if (typeof text !== 'string') {
        findings.refuse(place, `Data.${label}: has no Value that is a text`);
        continue;
      }
      yield {
        record: {
          type: 'state',
          player,
          label,
          state: stateOf(text),
          at,
          public: permission === 'Public',
        },
        ...place,
      };
    }
  } else if (Array.isArray(friends)) {
    for (const friend of friends) {
      yield {
        record: { type: 'friend', player, friend: isFields(friend) ? friend.FriendPlayFabId : friend },
        ...place,
      };
    }
  } else findings.refuse(place, 'is no player profile, user data or list of friends');
}

/** A player profile; in TSV, lists are JSON. `statistics`: those seen before. */
function* profile(
  fields: Fields,
  place: Place,
  findings: Findings,
  statistics: Set<unknown>,
): Iterable<SourceRecord> {
  const { PlayerId: id, DisplayName: name, Created: createdAt } = fields;
  for (const name of ['LinkedAccounts', 'PlayerStatistics']) {
    const list = fields[name];
    if (typeof list === 'string' && list !== '' && !Array.isArray(jsonOf(list)))
      findings.refuse(place, `${name}: must be a list as JSON; the player is imported without it`);
  }
  const accounts = listIn(fields.LinkedAccounts);
  const logins = accounts.map(({ Platform: platform, PlatformUserId: user }) => [
    String(platform).toLowerCase(),
    String(user),
  ]);
  yield {
    record: {
      type: 'player',
      id,
      ...(name ? { name } : {}),
      ...maybe('createdAt', typeof createdAt === 'string' ? createdAt : undefined),
      logins: Object.fromEntries(logins),
    },
    ...place,
  };
  for (const { Name: leaderboard, StatisticValue: score } of latest(listIn(fields.PlayerStatistics))) {
    // What a statistic does unless it was defined otherwise, which the profile does not say.
    if (!statistics.has(leaderboard))
      yield { record: { type: 'leaderboard', name: leaderboard, keep: 'latest' }, ...place };
    statistics.add(leaderboard);
    yield { record: { type: 'score', player: id, leaderboard, score }, ...place };
  }
  if (listIn(fields.ContactEmailAddresses).length > 0 || accounts.some(({ Email: email }) => email)) {
    findings.leaveOut('e-mail addresses', "players sign in by your game's server, or with a wallet");
  }
  if (fields.AvatarUrl) findings.leaveOut('avatars', 'pictures are not imported');
  const money =
    typeof fields.VirtualCurrencyBalances === 'string'
      ? jsonOf(fields.VirtualCurrencyBalances)
      : fields.VirtualCurrencyBalances;
  if (isFields(money) && Object.keys(money).length > 0)
    findings.leaveOut('currencies', 'Gantry has no virtual currencies');
  if (fields.BannedUntil && Date.parse(String(fields.BannedUntil)) > Date.now()) {
    findings.leaveOut('bans', 'banned players are imported without it: ban them again');
  }
}

/** Of each statistic the current version: a statistic that begins again regularly has one for each period. */
function latest(statistics: readonly Fields[]): Iterable<Fields> {
  const found = new Map<unknown, Fields>();
  for (const one of statistics) {
    const before = found.get(one.Name);
    if (!before || Number(before.StatisticVersion ?? 0) < Number(one.StatisticVersion ?? 0))
      found.set(one.Name, one);
  }
  return found.values();
}

/** PlayFab's user data is text; games store JSON in it. A number stays text. */
function stateOf(text: string): string {
  return typeof jsonOf(text) === 'object' ? text : JSON.stringify(text);
}

function listIn(value: unknown): Fields[] {
  const list = typeof value === 'string' ? jsonOf(value) : value;
  return Array.isArray(list) ? list.filter(isFields) : [];
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
