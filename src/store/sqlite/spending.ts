import type { Database } from 'better-sqlite3';
import type { SpendingPolicy } from '../../domain/game.ts';
import { GantryError } from '../../errors.ts';
import type { Owner } from '../store.ts';
import type { SqliteGames } from './games.ts';
import type { Transaction } from './group-commit.ts';

const dayMs = 24 * 60 * 60 * 1000;

/** What an action on a chain takes of the game's limits. */
export interface Cost {
  /** `<chain id>:<contract>` of the token it hands out; empty: none. */
  token: string;
  /** In the token's smallest unit. */
  amount: bigint;
}

interface Taken {
  game_id: string;
  wallet: string;
  token: string;
  amount: string;
  day: number;
  given_back: number;
}

/**
 * Holds games to what they may spend on chains in a day (UTC), in all and for each player. What no limit
 * allows is not allowed: a game without limits spends nothing. Runs inside the transaction of what spends, so
 * that triggers at once cannot exceed a limit together.
 */
export class Spending {
  readonly #games: SqliteGames;
  readonly #statements;

  constructor(db: Database, games: SqliteGames) {
    this.#games = games;
    this.#statements = {
      sum: db
        .prepare<[string, string, string, number], string>(
          'SELECT amount FROM spent WHERE game_id = ? AND wallet = ? AND token = ? AND day = ?',
        )
        .pluck(),
      setSum: db.prepare(
        `INSERT INTO spent (game_id, wallet, token, day, amount) VALUES (?, ?, ?, ?, ?)
         ON CONFLICT DO UPDATE SET amount = excluded.amount`,
      ),
      insert: db.prepare(
        `INSERT OR REPLACE INTO spending (action_id, game_id, wallet, token, amount, day) VALUES (?, ?, ?, ?, ?, ?)`,
      ),
      find: db.prepare<[string], Taken>('SELECT * FROM spending WHERE action_id = ?'),
      markGivenBack: db.prepare('UPDATE spending SET given_back = 1 WHERE action_id = ?'),
      trim: db.prepare('DELETE FROM spending WHERE day < ?'),
      trimSums: db.prepare('DELETE FROM spent WHERE day < ?'),
    };
  }

  /** Why the game may not spend this now; null: it may. */
  refusal(now: number, { gameId, wallet }: Owner, { token, amount }: Cost): string | null {
    const policy = this.#games.findNow(gameId)?.policies.spending;
    if (!policy) return 'the game is not there';
    const sum = (whose: string, of: string) => this.#sum(gameId, whose, of, dayOf(now));
    const { transactionsPerDay, transactionsPerPlayerPerDay } = policy;
    if (sum('', '') >= BigInt(transactionsPerDay)) {
      return `spending limit: the game may send ${transactionsPerDay} transactions a day`;
    }
    if (sum(wallet, '') >= BigInt(transactionsPerPlayerPerDay)) {
      return `spending limit: the game may send ${transactionsPerPlayerPerDay} transactions a day for one player`;
    }
    if (token === '') return null;
    const limit = limitOf(policy, token);
    if (!limit) return `spending limit: the game has none for the token ${token}, so it may not hand it out`;
    if (sum('', token) + amount > BigInt(limit.perDay)) {
      return `spending limit: the game may hand out ${limit.perDay} units of ${token} a day`;
    }
    if (sum(wallet, token) + amount > BigInt(limit.perPlayerPerDay)) {
      return `spending limit: the game may hand out ${limit.perPlayerPerDay} units of ${token} a day to one player`;
    }
    return null;
  }

  take(tx: Transaction, { gameId, wallet }: Owner, actionId: string, { token, amount }: Cost): void {
    const day = dayOf(tx.now);
    this.#statements.insert.run(actionId, gameId, wallet, token, String(amount), day);
    this.#count(gameId, wallet, token, day, amount, 1n);
  }

  /** What was taken for an action that never was sent is free again; how much it was is remembered, for a retry. */
  giveBack(actionId: string): void {
    const taken = this.#statements.find.get(actionId);
    if (!taken || taken.given_back === 1) return;
    this.#statements.markGivenBack.run(actionId);
    this.#count(taken.game_id, taken.wallet, taken.token, taken.day, -BigInt(taken.amount), -1n);
  }

  /** Takes for an action that is tried again what it took the first time. @throws GantryError `spending_limit_reached` */
  takeAgain(tx: Transaction, { gameId, wallet }: Owner, id: string): void {
    const taken = this.#statements.find.get(id);
    if (!taken) return;
    this.giveBack(id);
    const cost = { token: taken.token, amount: BigInt(taken.amount) };
    const refusal = this.refusal(tx.now, { gameId, wallet }, cost);
    if (refusal) throw new GantryError('spending_limit_reached', refusal);
    this.take(tx, { gameId, wallet }, id, cost);
  }

  trim(olderThan: number): void {
    const day = Math.floor(olderThan / dayMs);
    this.#statements.trim.run(day);
    this.#statements.trimSums.run(day);
  }

  #count(
    gameId: string,
    wallet: string,
    token: string,
    day: number,
    amount: bigint,
    transactions: bigint,
  ): void {
    for (const whose of ['', wallet]) {
      this.#add(gameId, whose, '', day, transactions);
      if (token !== '') this.#add(gameId, whose, token, day, amount);
    }
  }

  #add(gameId: string, wallet: string, token: string, day: number, amount: bigint): void {
    const sum = this.#sum(gameId, wallet, token, day) + amount;
    this.#statements.setSum.run(gameId, wallet, token, day, String(sum));
  }

  #sum(gameId: string, wallet: string, token: string, day: number): bigint {
    return BigInt(this.#statements.sum.get(gameId, wallet, token, day) ?? '0');
  }
}

function limitOf({ tokens }: SpendingPolicy, token: string) {
  return tokens.find(({ chainId, contract }) => `${chainId}:${contract}` === token);
}

function dayOf(now: number): number {
  return Math.floor(now / dayMs);
}
