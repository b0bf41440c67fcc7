import { GantryError } from '../../core/errors.ts';
import { describeIssue } from '../../core/schemas/describe-issue.ts';
import { newGuestAddress, walletInput } from '../../core/schemas/fields.ts';
import { cleanedNameText } from '../../core/schemas/names.ts';
import type { Schedule } from '../../core/schemas/schedule.ts';
import type { Store } from '../../core/storage/store.ts';
import type { Game } from '../../features/games/game.ts';
import { playerKeyOf } from '../../features/guests/commands.ts';
import {
  importBlock,
  importFriendship,
  importPlayer,
  type PlayerToImport,
} from '../../features/player-import/commands.ts';
import { type ImportedOf, importedRecord } from '../../features/player-import/record.ts';
import { importNonce } from '../../features/scores/import-nonce.ts';
import { addLeaderboard } from '../../features/scores/leaderboard-commands.ts';
import { listLeaderboardRows } from '../../features/scores/leaderboard-queries.ts';
import { refuseSeasonSchedule } from '../../features/scores/season-schedule.ts';
import { toLeaderboardRecord } from '../../features/scores/stored-leaderboard.ts';
import { readState } from '../../features/states/state.ts';
import { openScratch, type Scratch } from '../../server/open-store.ts';
import {
  type Checked,
  fromText,
  isBlock,
  isFriend,
  isPlayer,
  isScore,
  isState,
  reasonAgainst,
} from './checked-record.ts';
import { csv, ndjson } from './generic.ts';
import { nakama } from './nakama.ts';
import { playfab } from './playfab.ts';
import type { Place, Source } from './source.ts';
import { type Counts, type Kind, kindOf, Tally } from './tally.ts';
import { talo } from './talo.ts';
import { type TargetLeaderboard, TargetLeaderboards } from './target-leaderboards.ts';

export const sources = { csv, ndjson, nakama, talo, playfab } satisfies Record<string, Source>;
export type SourceName = keyof typeof sources;

/** Players that are written at a time. */
const atOnce = 128;
const maxName = 40;

/** The login that stands for any that is a wallet address. */
const walletLogin = 'wallet';

export interface ImportSettings {
  source: SourceName;
  files: readonly string[];
  game: Game;
  /** The login by which the game's server is going to vouch for players who have it; otherwise their id. */
  login: string | undefined;
  isDryRun: boolean;
  /** How long a guest without anything is kept, in milliseconds. */
  idleMs: number;
  /** A row that cannot be imported. */
  refuse(place: Place, reason: string): void;
  /** Records written, of all of them. */
  onProgress(done: number, total: number): void;
}

export interface ImportReport {
  /** Of each kind, how many there are in the source, and what became of them. */
  counts: Record<Kind, Counts>;
  leaderboards: (TargetLeaderboard & { scores: number })[];
  leftOut: { what: string; count: number; why: string }[];
  refused: number;
}

/**
 * Imports players of another system with names, scores, states, friends and blocks. Each player is written whole or not at
 * all, and the same files again change nothing.
 * @throws GantryError `storage_full` when the game's quota is reached; what was written stays, and another run continues
 */
export async function importPlayers(db: Store, settings: ImportSettings): Promise<ImportReport> {
  using importing = new Import(db, settings, await db.read(listLeaderboardRows, settings.game.id));
  importing.read();
  await importing.addLeaderboards();
  await importing.writePlayers();
  await importing.writeRelations();
  return importing.report();
}

class Import implements Disposable {
  readonly #db: Store;
  readonly #settings: ImportSettings;
  readonly #leaderboards: TargetLeaderboards;
  /** Records by player. */
  readonly #ofPlayers = openScratch();
  /** Friends and blocks, by the one of the two whose id comes first. */
  readonly #relations = openScratch();
  /** Written players by id: their wallets, empty when there is none yet. */
  readonly #wallets = openScratch();
  /** Players by wallet or login, which must not be those of two. */
  readonly #logins = openScratch();
  readonly #tally: Tally;
  readonly #scoresOn = new Map<string, number>();
  #total = 0;
  #done = 0;

  constructor(
    db: Store,
    settings: ImportSettings,
    rows: readonly Parameters<typeof toLeaderboardRecord>[0][],
  ) {
    this.#db = db;
    this.#settings = settings;
    this.#leaderboards = new TargetLeaderboards(rows.map(toLeaderboardRecord), settings.game.policies);
    this.#tally = new Tally((place, reason) => settings.refuse(place, reason));
  }

  [Symbol.dispose](): void {
    for (const scratch of [this.#ofPlayers, this.#relations, this.#wallets, this.#logins]) scratch.close();
  }

  /** Reads and checks all files. */
  read(): void {
    const { source, files } = this.#settings;
    for (const { record: given, file, line } of sources[source](files, this.#tally)) {
      const place = { file, line };
      const kind = kindOf(given.type);
      if (kind) this.#tally.counts[kind].inSource++;
      const checked = importedRecord.safeParse(given, { error: describeIssue });
      if (checked.success) this.#keep({ record: checked.data, ...place });
      else {
        const issues = checked.error.issues.map(({ path, message }) => [...path, message].join(': '));
        this.#tally.refuse(place, issues.join('; '), kind);
      }
    }
  }

  #keep({ record, ...place }: Checked): void {
    const { type } = record;
    if (type === 'leaderboard') {
      const reason = this.#leaderboards.declare(record);
      if (reason !== undefined) this.#tally.refuse(place, reason);
      return;
    }
    if (type === 'friend' || type === 'block') {
      const [first = '', second] = [
        record.player,
        type === 'friend' ? record.friend : record.blocked,
      ].toSorted();
      if (first === second) this.#tally.refuse(place, 'names the same player twice', kindOf(type));
      else this.#add(this.#relations, first, { record, ...place });
      return;
    }
    const reason = reasonAgainst(record, this.#settings.game.policies.scores === 'integer');
    if (reason !== undefined) this.#tally.refuse(place, reason, kindOf(type));
    else this.#add(this.#ofPlayers, type === 'player' ? record.id : record.player, { record, ...place });
  }

  #add(scratch: Scratch, key: string, kept: Checked): void {
    scratch.add(key, JSON.stringify(kept));
    this.#total++;
  }

  /** Creates the leaderboards that scores go to and that do not exist. */
  async addLeaderboards(): Promise<void> {
    for (const { texts } of this.#ofPlayers.groups()) {
      for (const { record, ...place } of texts.map(fromText)) {
        if (record.type !== 'score') continue;
        const target = this.#leaderboards.targetOf(record.leaderboard);
        if (typeof target === 'string') this.#tally.refuse(place, target, 'scores');
        else this.#scoresOn.set(target.leaderboard, (this.#scoresOn.get(target.leaderboard) ?? 0) + 1);
      }
    }
    for (const target of this.#leaderboards.all) if (!target.exists) await this.#addLeaderboard(target);
  }

  async #addLeaderboard({ source, leaderboard: name, cron, ...of }: TargetLeaderboard): Promise<void> {
    const rules = {
      name,
      order: of.order,
      keep: of.keep,
      entries: of.entries,
      public: true,
      labels: [],
      keepSeasons: null,
    } as const;
    const schedule = this.#usableSchedule(source, cron);
    if (this.#settings.isDryRun) return;
    await this.#db.write(addLeaderboard, this.#settings.game.id, { ...rules, labels: [], schedule });
  }

  /** Null without one, and for one by which no seasons can end. */
  #usableSchedule(source: string, cron: string | undefined): Schedule | null {
    if (cron === undefined) return null;
    const schedule = { cron, timeZone: 'UTC' };
    try {
      refuseSeasonSchedule(schedule, Date.now());
      return schedule;
    } catch (error) {
      if (!(error instanceof GantryError)) throw error;
      this.#tally.leaveOut(`the schedule of ${source}`, error.message);
      return null;
    }
  }

  async writePlayers(): Promise<void> {
    await inBatches(this.#ofPlayers.groups(), ({ key, texts }) =>
      this.#writePlayer(key, texts.map(fromText)),
    );
  }

  async #writePlayer(id: string, all: readonly Checked[]): Promise<void> {
    this.#advance(all.length);
    const player = all.find(isPlayer);
    if (!player) {
      const reason = `the player ${id} is not among the players`;
      for (const one of all) this.#tally.refuse(one, reason, kindOf(one.record.type));
      return;
    }
    const { game, isDryRun } = this.#settings;
    const parts = this.#partsOf(all, player);
    try {
      this.#refuseShared(id, parts.player.identity);
      const { wallet, ...became } = await this.#db.write(importPlayer, game.id, parts.player, isDryRun);
      this.#wallets.add(id, wallet ?? '');
      this.#tally.count('players', player, became.player);
      for (const [at, place] of parts.scorePlaces.entries())
        this.#tally.count('scores', place, became.scores[at]);
      for (const [at, place] of parts.statePlaces.entries())
        this.#tally.count('states', place, became.states[at]);
    } catch (error) {
      if (!(error instanceof GantryError) || isOfGame(error)) throw error;
      const reason = `the player was not imported: ${error.message}`;
      this.#tally.refuse(player, reason, 'players');
      for (const place of parts.scorePlaces) this.#tally.refuse(place, reason, 'scores');
      for (const place of parts.statePlaces) this.#tally.refuse(place, reason, 'states');
    }
  }

  /** What is written of a player. */
  #partsOf(all: readonly Checked[], player: Checked<ImportedOf<'player'>>) {
    const logins = all.map(({ record }) => record).filter((record) => record.type === 'login');
    const seen = new Set<string>();
    const isFirst = (one: Checked, key: string) => {
      if (!seen.has(key)) return seen.add(key) !== undefined;
      this.#tally.refuse(one, 'is there twice', kindOf(one.record.type));
      return false;
    };
    for (const one of all.filter(isPlayer).slice(1)) this.#tally.refuse(one, 'is there twice', 'players');
    const scores = all.filter(isScore).flatMap((one) => {
      const { leaderboard, id, score, at, metadata } = one.record;
      const target = this.#leaderboards.targetOf(leaderboard);
      if (typeof target === 'string' || !isFirst(one, JSON.stringify([leaderboard, id]))) return [];
      return [
        {
          place: one,
          score: { leaderboard: target.leaderboard, score, nonce: importNonce(id), at, metadata },
        },
      ];
    });
    const states = all.filter(isState).flatMap((one) => {
      const { label, state, at, public: isPublic } = one.record;
      if (!isFirst(one, JSON.stringify([label]))) return [];
      return [{ place: one, state: { label, ...readState(state), at, public: isPublic } }];
    });
    const { createdAt, name = logins.find((one) => one.isName)?.identifier ?? '' } = player.record;
    return {
      scorePlaces: scores.map(({ place }) => place),
      statePlaces: states.map(({ place }) => place),
      player: {
        identity: this.#identityOf(player.record, logins),
        name: this.#nameOf(name),
        createdAt,
        scores: scores.map(({ score }) => score),
        states: states.map(({ state }) => state),
      },
    };
  }

  #nameOf(name: string): string {
    const cleaned = cleanedNameText(0, name.length).safeParse(name.slice(0, 4 * maxName)).data ?? '';
    const characters = [...cleaned];
    if (characters.length <= maxName) return cleaned;
    this.#tally.leaveOut('ends of names', `names have at most ${maxName} characters`, 1);
    return characters.slice(0, maxName).join('').trimEnd();
  }

  /** @throws GantryError `input_invalid` */
  #refuseShared(id: string, identity: PlayerToImport['identity']): void {
    const key = 'wallet' in identity ? identity.wallet : identity.playerKey;
    const other = this.#logins.get(key);
    if (other !== undefined) {
      throw new GantryError(
        'input_invalid',
        `it would be the same player as ${other}, with the same wallet or login`,
      );
    }
    this.#logins.add(key, id);
  }

  /** Who the player becomes: a wallet, or the guest whom the game's server vouches for by this id. */
  #identityOf(
    { id, wallet, logins: own = {} }: ImportedOf<'player'>,
    added: readonly ImportedOf<'login'>[],
  ): PlayerToImport['identity'] {
    const { source, game, login, idleMs } = this.#settings;
    const logins = {
      ...own,
      ...Object.fromEntries(added.map(({ service, identifier }) => [service, identifier])),
    };
    const address =
      login === walletLogin
        ? Object.values(logins)
            .map((one) => walletInput.safeParse(one).data)
            .find(Boolean)
        : undefined;
    const given = wallet ?? address;
    if (given !== undefined) return { wallet: given };
    const isOurs = source === 'csv' || source === 'ndjson';
    const byLogin = login === undefined ? undefined : logins[login];
    const playerId = byLogin === undefined ? `${isOurs ? '' : `${source}:`}${id}` : `${login}:${byLogin}`;
    return { playerKey: playerKeyOf(game.id, playerId), guest: { address: newGuestAddress(), idleMs } };
  }

  async writeRelations(): Promise<void> {
    await inBatches(this.#relations.groups(), async ({ texts }) => {
      const seen = new Set<string>();
      const all = texts.map(fromText);
      // Who blocks a player does not become a friend.
      for (const one of [...all.filter(isBlock), ...all.filter(isFriend)])
        await this.#writeRelation(one, seen);
    });
  }

  async #writeRelation(
    one: Checked<ImportedOf<'friend'> | ImportedOf<'block'>>,
    seen: Set<string>,
  ): Promise<void> {
    this.#advance(1);
    const { record } = one;
    const kind = record.type === 'friend' ? 'friends' : 'blocks';
    const other = record.type === 'friend' ? record.friend : record.blocked;
    const pair = record.type === 'friend' ? [record.player, other].toSorted() : [record.player, other];
    const key = JSON.stringify([record.type, ...pair]);
    // Both friends have the other in their list.
    if (seen.has(key)) return void this.#tally.counts[kind].inSource--;
    seen.add(key);
    const [wallet, otherWallet] = [record.player, other].map((id) => this.#wallets.get(id));
    if (wallet === undefined || otherWallet === undefined) {
      const missing = wallet === undefined ? record.player : other;
      return this.#tally.refuse(one, `the player ${missing} was not imported`, kind);
    }
    // A dry run has not made the players.
    if (wallet === '' || otherWallet === '') return this.#tally.count(kind, one, 'new');
    const { game, isDryRun } = this.#settings;
    const owner = { gameId: game.id, wallet };
    try {
      const became = await (record.type === 'friend'
        ? this.#db.write(importFriendship, owner, otherWallet, isDryRun)
        : this.#db.write(importBlock, owner, otherWallet, isDryRun));
      this.#tally.count(kind, one, became);
    } catch (error) {
      if (!(error instanceof GantryError) || isOfGame(error)) throw error;
      this.#tally.refuse(one, error.message, kind);
    }
  }

  #advance(records: number): void {
    this.#done += records;
    this.#settings.onProgress(this.#done, this.#total);
  }

  report(): ImportReport {
    const { counts, leftOut, refused } = this.#tally;
    const leaderboards = this.#leaderboards.all.map((one) => ({
      ...one,
      scores: this.#scoresOn.get(one.leaderboard) ?? 0,
    }));
    return { counts, leaderboards, leftOut, refused };
  }
}

/** Refusals that concern every player: the run ends. */
function isOfGame({ reason }: GantryError): boolean {
  return ['storage_full', 'store_unavailable', 'game_unknown'].includes(reason);
}

/** Starts several at a time, in order, and waits for each batch. */
async function inBatches<Item>(items: Iterable<Item>, start: (item: Item) => Promise<void>): Promise<void> {
  let batch: Promise<void>[] = [];
  for (const item of items) {
    batch.push(start(item));
    if (batch.length < atOnce) continue;
    await Promise.all(batch);
    batch = [];
  }
  await Promise.all(batch);
}
