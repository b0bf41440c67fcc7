import { basename } from 'node:path';
import { type Row, rowsOf } from './delimited.ts';
import { type Line, objectsOf } from './lines.ts';
import { maybe } from './nakama.ts';
import { byName, type Findings, type Source, type SourceRecord } from './source.ts';

/** What rows of one file need from others. */
interface Known {
  /** Players by their aliases' ids. */
  playerOf: Map<string, string>;
  /** When the current period of leaderboards began that begin again regularly, in Unix milliseconds. */
  periods: Map<string, number>;
}

/** Columns and fields without which rows would be imported as what they are not. */
const needed = byName<readonly string[]>({
  players: ['id', 'createdAt', 'updatedAt'],
  playerAliases: ['id', 'service', 'identifier', 'player.id'],
  leaderboardEntries: ['id', 'score', 'leaderboard.internalName', 'playerAlias.player.id', 'createdAt'],
  playerGameStats: ['player.id', 'stat.internalName', 'value'],
  leaderboard: ['internal_name', 'sort_mode'],
  game_save: ['id', 'name', 'content', 'player_id'],
  player_alias_subscription: ['subscriber_id', 'subscribed_to_id', 'confirmed', 'relationship_type'],
});

type Read<From> = (from: From, known: Known, findings: Findings) => Iterable<SourceRecord>;

/** What other files refer to comes first. */
const first = ['leaderboard', 'playerAliases'];

/**
 * Talo's data export, a zip of CSV files that has been unpacked (`players-1.csv`, `playerAliases-1.csv`, …), and what it
 * lacks, as NDJSON of tables of a self-hosted Talo's database: `leaderboard.ndjson`, `game_save.ndjson` and
 * `player_alias_subscription.ndjson`.
 */
export const talo: Source = function* (files, findings) {
  const known: Known = { playerOf: new Map(), periods: new Map() };
  const rank = (file: string) => (first.indexOf(tableOf(file)) + first.length + 1) % (first.length + 1);
  for (const file of files.toSorted((one, other) => rank(one) - rank(other))) {
    const table = tableOf(file);
    const [readRow, readObject] = [ofExport.get(table), ofDatabase.get(table)];
    if (/\.ndjson$/i.test(file) && readObject) {
      for (const line of objectsOf(file, findings)) {
        const missing = needed.get(table)?.find((name) => line.value[name] === undefined);
        if (missing === undefined) yield* readObject(line, known, findings);
        else findings.refuse(line, `has no ${missing}`);
      }
    } else if (readRow)
      for (const row of rowsOf(file, findings, needed.get(table))) yield* readRow(row, known, findings);
    else findings.leaveOut(table, 'this file is not imported');
  }
};

/** `playerAliases` of `playerAliases-1.csv`. */
function tableOf(file: string): string {
  return /^[a-zA-Z_]+/.exec(basename(file))?.[0] ?? '';
}

const ofExport = byName<Read<Row>>({
  *players({ row, ...place }) {
    const { id, createdAt } = row;
    yield { record: { type: 'player', id, ...maybe('createdAt', createdAt) }, ...place };
    const props = Object.entries(row)
      .filter(([name, value]) => name.startsWith('props.') && !name.startsWith('props.META_') && value !== '')
      .map(([name, value]) => [name.slice('props.'.length), value]);
    if (props.length === 0) return;
    const state = JSON.stringify(Object.fromEntries(props));
    yield {
      record: { type: 'state', player: id, label: 'props', state, ...maybe('at', row.updatedAt) },
      ...place,
    };
  },
  *playerAliases({ row, ...place }, { playerOf }, findings) {
    const { id = '', service = '', identifier, 'player.id': player = '' } = row;
    playerOf.set(id, player);
    if (service === 'email')
      findings.leaveOut('e-mail addresses', "players sign in by your game's server, or with a wallet");
    else
      yield {
        record: { type: 'login', player, service, identifier, isName: service === 'username' },
        ...place,
      };
  },
  *leaderboardEntries({ row, ...place }, { periods }, findings) {
    const {
      id,
      score,
      'leaderboard.internalName': leaderboard = '',
      'playerAlias.player.id': player,
      updatedAt,
    } = row;
    if (Date.parse(row.createdAt ?? '') < (periods.get(leaderboard) ?? 0)) {
      findings.leaveOut('entries of ended periods', 'only the current season of a leaderboard is imported');
      return;
    }
    const props = Object.entries(row).filter(([name, value]) => name.startsWith('props.') && value !== '');
    const metadata = Object.fromEntries(props.map(([name, value]) => [name.slice('props.'.length), value]));
    yield {
      record: {
        type: 'score',
        player,
        leaderboard,
        id,
        score,
        ...maybe('at', updatedAt),
        ...(props.length > 0 && { metadata }),
      },
      ...place,
    };
  },
  *playerGameStats({ row, ...place }) {
    const { 'player.id': player, 'stat.internalName': stat, value: state, updatedAt } = row;
    yield {
      record: { type: 'state', player, label: `stats/${stat}`, state, ...maybe('at', updatedAt) },
      ...place,
    };
  },
});

const crons = byName({
  daily: '@daily',
  weekly: '0 0 * * 1',
  monthly: '@monthly',
  yearly: '@yearly',
});

const ofDatabase = byName<Read<Line>>({
  *leaderboard({ value, ...place }, { periods }) {
    const interval = String(value.refresh_interval ?? 'never');
    const name = String(value.internal_name);
    periods.set(name, periodStart(interval, new Date()));
    yield {
      record: {
        type: 'leaderboard',
        name,
        order: value.sort_mode,
        // One that is not unique lists every entry of a player.
        ...(value.unique === 0 && { entries: 'all' }),
        ...maybe('cron', crons.get(interval)),
      },
      ...place,
    };
  },
  *game_save({ value, ...place }) {
    const { id, name, content, player_id: player, updated_at: at } = value;
    const state = JSON.stringify(content);
    yield { record: { type: 'state', player, label: `saves/${name}/${id}`, state, at }, ...place };
  },
  *player_alias_subscription({ value, ...place }, { playerOf }, findings) {
    const [player, friend] = [value.subscriber_id, value.subscribed_to_id].map((id) =>
      playerOf.get(String(id)),
    );
    if (value.relationship_type !== 'bidirectional')
      findings.leaveOut('followers', 'Gantry has friends only');
    else if (Number(value.confirmed) !== 1) findings.leaveOut('friend requests', 'players can ask again');
    else yield { record: { type: 'friend', player: player ?? '', friend: friend ?? '' }, ...place };
  },
});

/** When the current day, week, month or year began, in UTC; 0 for a leaderboard that never begins again. */
function periodStart(interval: string, now: Date): number {
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
  if (interval === 'yearly') return Date.UTC(year, 0);
  if (interval === 'monthly') return Date.UTC(year, month);
  if (interval === 'weekly') return Date.UTC(year, month, day - ((now.getUTCDay() + 6) % 7));
  return interval === 'daily' ? Date.UTC(year, month, day) : 0;
}
