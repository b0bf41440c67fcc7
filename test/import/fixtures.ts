import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SourceName } from '../../src/tools/import/import-players.ts';

/** Names as players have them: unicode, quotes, commas, duplicates, one that is too long, one with a line break. */
const names = ['Ada', 'Zoë 🦊', '王小明', 'O"Neil, the "2nd"', 'Ada', 'x'.repeat(50), 'two\nlines', 'مريم'];

/** The players of a game in another system. Each is a friend of the next one, and every fifth blocks the one after that. */
export interface OtherPlayer {
  index: number;
  id: string;
  name: string;
  /** On a leaderboard where the highest is best. */
  score: number;
  /** On one where the lowest is. */
  time: number;
  save: string;
}

/** Of `count` players the one with this index; ids are as the system makes them. */
export function otherPlayer(index: number, source: SourceName = 'nakama'): OtherPlayer {
  const hex = index.toString(16).padStart(12, '0');
  return {
    index,
    id: source === 'playfab' ? hex.toUpperCase() : `5f1c2d3e-0000-4000-8000-${hex}`,
    name: names[index % names.length] ?? '',
    score: (index * 7919) % 100_003,
    time: 1_000 + ((index * 104_729) % 99_991),
    save: JSON.stringify({ level: index % 50, bag: ['sword', 'ÄÖ "q"'], wide: `line\n${index}` }),
  };
}

/** How many of each kind the files have, friends as pairs. */
export function countsOf(count: number, { hasBlocks, boards = 2 }: { hasBlocks: boolean; boards?: number }) {
  return {
    players: count,
    scores: boards * count,
    states: count,
    friends: count - 1,
    blocks: hasBlocks ? Math.floor((count - 3) / 5) + 1 : 0,
  };
}

const blocks = (index: number, count: number) => index % 5 === 0 && index + 2 < count;

/** Writes the files that a system exports for these players into a directory. */
export function writeExport(source: SourceName, directory: string, count: number): void {
  mkdirSync(directory, { recursive: true });
  const players = Array.from({ length: count }, (_, index) => otherPlayer(index, source));
  const write = (name: string, lines: readonly string[]) =>
    writeFileSync(join(directory, name), lines.map((line) => `${line}\n`).join(''));
  writers[source](players, write);
}

type Write = (name: string, lines: readonly string[]) => void;

const quoted = (value: string | number) => `"${String(value).replaceAll('"', '""')}"`;
const row = (...values: (string | number)[]) => values.map(quoted).join(',');
/** As PostgreSQL prints a timestamptz in Berlin, in summer. */
const berlin = (index: number) => `2026-07-01 ${String(12 + (index % 10)).padStart(2, '0')}:00:00.123456+02`;
const iso = (index: number) => `2026-07-01T${String(10 + (index % 10)).padStart(2, '0')}:00:00.123Z`;

function pairsOf(players: readonly OtherPlayer[]): [OtherPlayer, OtherPlayer][] {
  return players.slice(1).map((player, at) => [players[at] ?? player, player]);
}

function blocksOf(players: readonly OtherPlayer[]): [OtherPlayer, OtherPlayer][] {
  return players.flatMap((player) => {
    const blocked = blocks(player.index, players.length) ? players[player.index + 2] : undefined;
    return blocked ? [[player, blocked] as [OtherPlayer, OtherPlayer]] : [];
  });
}

const writers: Record<SourceName, (players: readonly OtherPlayer[], write: Write) => void> = {
  csv(players, write) {
    write('players.csv', [
      'id,name,createdAt',
      ...players.map(({ id, name, index }) => row(id, name, iso(index))),
    ]);
    write('leaderboards.csv', ['name,order,keep', 'High Score,desc,best', 'time-trial,asc,best']);
    write('scores.csv', [
      'player,leaderboard,score,at',
      ...players.map(({ id, score, index }) => row(id, 'High Score', score, iso(index))),
      ...players.map(({ id, time, index }) => row(id, 'time-trial', time, iso(index))),
    ]);
    write('states.csv', [
      'player,label,state,at',
      ...players.map(({ id, save, index }) => row(id, 'save', save, iso(index))),
    ]);
    write('friends.csv', ['player,friend', ...pairsOf(players).map(([one, other]) => row(one.id, other.id))]);
    write('blocks.csv', [
      'player,blocked',
      ...blocksOf(players).map(([one, other]) => row(one.id, other.id)),
    ]);
  },
  ndjson(players, write) {
    write('game.ndjson', [
      ...[
        { type: 'leaderboard', name: 'High Score' },
        { type: 'leaderboard', name: 'time-trial', order: 'asc' },
      ].map((one) => JSON.stringify(one)),
      ...players.flatMap(({ id, name, score, time, save, index }) =>
        [
          { type: 'score', player: id, leaderboard: 'High Score', score, at: iso(index) },
          { type: 'score', player: id, leaderboard: 'time-trial', score: time, at: iso(index) },
          { type: 'state', player: id, label: 'save', state: JSON.parse(save) as unknown, at: iso(index) },
          { type: 'player', id, name, createdAt: Date.parse(iso(index)) },
        ].map((one) => JSON.stringify(one)),
      ),
      ...pairsOf(players).map(([one, other]) =>
        JSON.stringify({ type: 'friend', player: one.id, friend: other.id }),
      ),
      ...blocksOf(players).map(([one, other]) =>
        JSON.stringify({ type: 'block', player: one.id, blocked: other.id }),
      ),
    ]);
  },
  nakama(players, write) {
    const user =
      'id,username,display_name,avatar_url,lang_tag,location,timezone,metadata,wallet,email,password,facebook_id,google_id,gamecenter_id,steam_id,custom_id,edge_count,create_time,update_time,verify_time,disable_time,facebook_instant_game_id,apple_id';
    const never = '1970-01-01 01:00:00+01';
    write('users.csv', [
      user,
      `00000000-0000-0000-0000-000000000000,"",,,en,,,{},{},,,,,,,,0,${never},${never},${never},${never},,`,
      ...players.map(({ id, name, index }) =>
        [
          id,
          `user${index}`,
          quoted(name),
          '',
          'en',
          '',
          quoted('Pacific Time (US & Canada)'),
          '{}',
          quoted('{"coins": 5}'),
          `p${index}@example.com`,
          String.raw`\x2432`,
          '',
          '',
          '',
          `7656119800000${index}`,
          '',
          1,
          berlin(index),
          berlin(index),
          never,
          never,
          '',
          '',
        ].join(','),
      ),
    ]);
    write('leaderboard.csv', [
      'id,authoritative,sort_order,operator,reset_schedule,metadata,create_time,category,description,duration,end_time,join_required,max_size,max_num_score,title,size,start_time,enable_ranks',
      `High Score,f,1,0,,{},${never},0,"",0,${never},f,100000000,1000000,"",0,${never},t`,
      `time-trial,f,0,0,,{},${never},0,"",0,${never},f,100000000,1000000,"",0,${never},t`,
    ]);
    write('leaderboard_record.csv', [
      'leaderboard_id,owner_id,username,score,subscore,num_score,metadata,create_time,update_time,expiry_time,max_num_score',
      ...players.flatMap(({ id, score, time, index }) =>
        [['High Score', score] as const, ['time-trial', time] as const].map(
          ([board, value]) =>
            `${board},${id},user${index},${value},0,1,{},${berlin(index)},${berlin(index)},${never},1000000`,
        ),
      ),
    ]);
    write('storage.csv', [
      'collection,key,user_id,value,version,read,write,create_time,update_time',
      ...players.map(
        ({ id, save, index }) => `saves,slot,${id},${quoted(save)},v,1,1,${berlin(index)},${berlin(index)}`,
      ),
    ]);
    const edge = ([one, other]: [OtherPlayer, OtherPlayer], state: number) =>
      `${one.id},${one.index}${other.index},${berlin(0)},${other.id},${state},{}`;
    write('user_edge.csv', [
      'source_id,position,update_time,destination_id,state,metadata',
      // Both have the other in their list.
      ...pairsOf(players).flatMap(([one, other]) => [edge([one, other], 0), edge([other, one], 0)]),
      ...blocksOf(players).map((pair) => edge(pair, 3)),
    ]);
  },
  talo(players, write) {
    write('players-1.csv', [
      'id,lastSeenAt,createdAt,updatedAt,props.META_OS,props.class',
      ...players.map(({ id, index }) => `${id},${iso(index)},${iso(index)},${iso(index)},Linux,mage`),
    ]);
    write('playerAliases-1.csv', [
      'id,service,identifier,player.id,createdAt,updatedAt',
      ...players.map(
        ({ id, name, index }) => `${index},username,${quoted(name)},${id},${iso(index)},${iso(index)}`,
      ),
      ...players.map(
        ({ id, index }) =>
          `${players.length + index},steam,7656119800000${index},${id},${iso(index)},${iso(index)}`,
      ),
    ]);
    write('leaderboardEntries-1.csv', [
      'id,score,leaderboard.id,leaderboard.internalName,playerAlias.id,playerAlias.service,playerAlias.identifier,playerAlias.player.id,createdAt,updatedAt,props.replay',
      ...players.flatMap(({ id, name, score, time, index }) =>
        [['High Score', score] as const, ['time-trial', time] as const].map(
          ([board, value], at) =>
            `${2 * index + at},${value},${at},${board},${index},username,${quoted(name)},${id},${iso(index)},${iso(index)},`,
        ),
      ),
    ]);
    const stamp = (index: number) => iso(index).replace('T', ' ').replace('Z', '000');
    write('leaderboard.ndjson', [
      JSON.stringify({ internal_name: 'High Score', sort_mode: 'desc', refresh_interval: 'never' }),
      JSON.stringify({ internal_name: 'time-trial', sort_mode: 'asc', refresh_interval: 'never' }),
    ]);
    write('player_alias_subscription.ndjson', [
      ...pairsOf(players).map(([one, other]) =>
        JSON.stringify({
          subscriber_id: one.index,
          subscribed_to_id: other.index,
          confirmed: 1,
          relationship_type: 'bidirectional',
          created_at: stamp(0),
        }),
      ),
    ]);
  },
  playfab(players, write) {
    write('profiles.tsv', [
      [
        'TitleId',
        'PlayerId',
        'DisplayName',
        'Created',
        'LastLogin',
        'LinkedAccounts',
        'PlayerStatistics',
      ].join('\t'),
      ...players.map(({ id, name, score, time, index }) =>
        [
          '17FA03',
          id,
          name.replaceAll('\n', ' '),
          iso(index),
          iso(index),
          JSON.stringify([{ Platform: 'Steam', PlatformUserId: `7656119800000${index}` }]),
          JSON.stringify([
            { Id: '1', Name: 'High Score', StatisticValue: score, StatisticVersion: 0 },
            { Id: '2', Name: 'time-trial', StatisticValue: time, StatisticVersion: 3 },
            { Id: '3', Name: 'time-trial', StatisticValue: 1, StatisticVersion: 2 },
          ]),
        ].join('\t'),
      ),
    ]);
    write('data.ndjson', [
      ...players.map(({ id, save, index }) =>
        JSON.stringify({
          PlayFabId: id,
          Data: { save: { Value: save, LastUpdated: iso(index), Permission: 'Private' } },
        }),
      ),
      ...pairsOf(players).map(([one, other]) =>
        JSON.stringify({ PlayFabId: one.id, Friends: [{ FriendPlayFabId: other.id }] }),
      ),
    ]);
  },
};
