import { streamOf } from '../../core/events/stream.ts';
import { guestPrefix } from '../../core/schemas/default-name.ts';
import { folded } from '../../core/schemas/folded.ts';
import { adjectives, animals } from '../../core/schemas/guest-words.ts';
import { comparableId } from '../../core/schemas/ids.ts';
import type { Owner } from '../../core/schemas/owner.ts';
import type { Page, Paged } from '../../core/schemas/paging.ts';
import { query, type ReadSteps, statement } from '../../core/storage/query.ts';
import { type Player, type PlayerFilter, type PlayerSummary, toPlayer } from './player.ts';
import { bans, type GuestRow, guests, type PlayerRow, players } from './tables.ts';

/** More bans than any player has: at most one per game. */
const maxBans = 100_000;

/** Maximum cached players. */
const maxCached = 50_000;

/** Whether a player is banned from a game, or from all games. Runs with every call of a game's server. */
export const isBanned = query(
  'isBanned',
  function* (read, { gameId, wallet }: Owner): ReadSteps<boolean> {
    const here = yield* read.get(bans, wallet, gameId);
    return (here ?? (yield* read.get(bans, wallet, ''))) !== undefined;
  },
  { max: maxCached, keyOf: ({ gameId, wallet }) => `${gameId} ${wallet}` },
);

/** The player of a wallet; null for an unknown one. Runs with every write of a game's server. */
export const findPlayer = query(
  'findPlayer',
  function* (read, wallet: string): ReadSteps<Player | null> {
    const row = yield* read.get(players, wallet);
    return row ? toPlayer(row) : null;
  },
  { max: maxCached, keyOf: (wallet) => wallet },
);

/**
 * The guest with an address; null when there never was one, or it was erased. Runs with every server call about a
 * guest.
 */
export const findGuest = query(
  'findGuest',
  function* (read, address: string): ReadSteps<GuestRow | null> {
    return (yield* read.get(guests, address)) ?? null;
  },
  { max: maxCached, keyOf: (address) => address },
);

/** The players of these wallets; unknown wallets are omitted. */
export const findPlayersOf = query('findPlayersOf', function* (read, wallets: readonly string[]): ReadSteps<
  readonly Pick<Player, 'wallet' | 'username' | 'avatar'>[]
> {
  return yield* read.all(playersOf, { wallets: JSON.stringify(wallets) });
});

const playersOfText = (wallets: string) =>
  `SELECT wallet, username, avatar FROM players WHERE wallet IN (${wallets})`;
const playersOf = statement<{ wallets: string }, Pick<Player, 'wallet' | 'username' | 'avatar'>>({
  sqlite: playersOfText('SELECT value FROM json_each(@wallets)'),
  postgres: playersOfText(
    'SELECT value FROM json_array_elements_text(CAST(@wallets AS json)) AS listed (value)',
  ),
});

/**
 * Players in the given game or any, newest first; with `search`, those whose name contains it, whatever the case and accents, or whose wallet begins
 * with it or is shortened to it (`shortAddress`). A guest without a name has its default name.
 */
export const findPlayers = query(
  'findPlayers',
  function* (
    read,
    { gameId, search, present, banned }: PlayerFilter,
    { limit, skip }: Page,
  ): ReadSteps<Paged<PlayerSummary>> {
    const text = search === undefined ? null : folded(search);
    const filter: Filter = {
      gameId: gameId === undefined ? null : comparableId(gameId),
      streamPrefix: gameId === undefined ? null : streamOf.player(comparableId(gameId), ''),
      name: text === null ? null : `%${escapeLike(text)}%`,
      wallet: text === null ? null : walletPattern(text),
      ...guestsNamed(text),
      present: flag(present),
      banned: flag(banned),
      now: read.now,
    };
    const total = (yield* read.first(countMatching, filter))?.count ?? 0;
    const found = yield* read.all(listMatching, { ...filter, limit, skip });
    const rows: PlayerSummary[] = [];
    for (const row of found) {
      const bannedFrom = yield* read.list(bans.byWallet, [row.wallet], { limit: maxBans });
      rows.push({
        ...toPlayer(row),
        createdAt: row.createdAt,
        bannedFrom: bannedFrom.map((one) => one.gameId),
        lastOpenedAt: row.lastOpenedAt,
        present: row.present === 1,
      });
    }
    return { total, rows };
  },
);

interface Filter extends Record<string, string | number | null> {
  gameId: string | null;
  /** What the names of its players' streams begin with. */
  streamPrefix: string | null;
  /** LIKE patterns; null: any. */
  name: string | null;
  wallet: string | null;
  /** The first and second bytes of guests' addresses with matching words in their default names, and how many have to match. */
  adjectives: string | null;
  animals: string | null;
  words: number | null;
  /** 1, 0, or null: either. */
  present: number | null;
  banned: number | null;
  now: number;
}

function flag(value: boolean | undefined): number | null {
  return value === undefined ? null : Number(value);
}

/** Escapes a text for LIKE, so that it matches literally. */
function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&');
}

/**
 * Matches wallets with this prefix; for `0x1234...abcd`, those that are shortened to it. The text is `folded`, which makes
 * three dots of an ellipsis.
 */
function walletPattern(search: string): string {
  const [, begin, end] = /^(0x[0-9a-f]*)\.{3}([0-9a-f]*)$/.exec(search) ?? [];
  return begin === undefined ? `${escapeLike(search)}%` : `${begin}%${end}`;
}

/**
 * Matches guests whose default names contain the text: with a space, it is the end of the adjective and the beginning of
 * the animal; otherwise, it is in one of them.
 */
function guestsNamed(text: string | null): Pick<Filter, 'adjectives' | 'animals' | 'words'> {
  const [begin = '', end, ...rest] = text?.split(' ') ?? [];
  if (text === null || rest.length > 0) return { adjectives: null, animals: null, words: null };
  const isPair = end !== undefined;
  return {
    adjectives: bytesOf(adjectives, (word) => (isPair ? word.endsWith(begin) : word.includes(text))),
    animals: bytesOf(animals, (word) => (isPair ? word.startsWith(end) : word.includes(text))),
    words: isPair ? 2 : 1,
  };
}

/** The places of words in their list, as bytes in hex, each between commas. */
function bytesOf(words: readonly string[], matches: (word: string) => boolean): string {
  const places = words.flatMap((word, place) => (matches(word) ? [place.toString(16).padStart(2, '0')] : []));
  return `,${places.join()},`;
}

const isPresent = `CASE WHEN EXISTS (
    SELECT 1 FROM channel_sessions AS live JOIN announced_present AS announced ON announced.session_id = live.id
    WHERE live.wallet = p.wallet AND live.ended_at IS NULL AND live.expires_at > @now) THEN 1 ELSE 0 END`;
const hasBan = 'CASE WHEN EXISTS (SELECT 1 FROM bans AS b WHERE b.wallet = p.wallet) THEN 1 ELSE 0 END';

/** 1 if the byte of a guest's address at this place, from 0 after the prefix, is in the list. */
const isWord = (place: number, list: string) => `CASE
    WHEN ${list} LIKE '%,' || substr(p.wallet, ${guestPrefix.length + 1 + 2 * place}, 2) || ',%' THEN 1 ELSE 0 END`;
const hasDefaultName = `p.username = '' AND p.wallet LIKE '${guestPrefix}%'
    AND ${isWord(0, '@adjectives')} + ${isWord(1, '@animals')} >= @words`;

// Sessions are deleted after a time; who has ever stored anything in a game or was online there has a stream.
const matching = `(EXISTS (
    SELECT 1 FROM channel_sessions AS c WHERE c.wallet = p.wallet AND c.game_id = @gameId) OR @gameId IS NULL
    OR EXISTS (SELECT 1 FROM streams AS s WHERE s.name = @streamPrefix || p.wallet))
  AND (p.wallet LIKE @wallet ESCAPE '\\' OR p.search_name LIKE @name ESCAPE '\\' OR @name IS NULL
    OR (${hasDefaultName}))
  AND (${hasBan} = @banned OR @banned IS NULL) AND (${isPresent} = @present OR @present IS NULL)`;

const countMatching = statement<Filter, { count: number }>(
  `SELECT count(*) AS count FROM players AS p WHERE ${matching}`,
);

const listMatching = statement<
  Filter & { limit: number; skip: number },
  Omit<PlayerRow, 'searchName'> & { present: number; lastOpenedAt: number | null }
>(
  `SELECT wallet, user_id AS "userId", username, avatar, created_at AS "createdAt", ${isPresent} AS present,
     (SELECT max(opened_at) FROM channel_sessions AS c WHERE c.wallet = p.wallet) AS "lastOpenedAt"
   FROM players AS p WHERE ${matching} ORDER BY created_at DESC, wallet LIMIT @limit OFFSET @skip`,
);
