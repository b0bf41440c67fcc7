import type { LeaderboardRules } from '../../../src/features/scores/leaderboard.ts';
import type { ScoreRecord } from '../../../src/features/scores/score.ts';

/** A score in the model. */
interface Known {
  id: string;
  wallet: string;
  score: number;
  reachedAt: number;
  label: string | undefined;
}

interface Ranked {
  id: string;
  wallet: string;
  score: number;
  reachedAt: number;
  label: string | undefined;
}

/** A season of a leaderboard, ranked by sorting all that was set. */
export class SeasonModel {
  readonly #rules: LeaderboardRules;
  /** By id, in the order they were last set. */
  readonly #records = new Map<string, Known>();
  /** Of sums and counts: when they reached their value, and the first record's id. */
  readonly #totals = new Map<string, Ranked>();

  constructor(rules: LeaderboardRules) {
    this.#rules = rules;
  }

  get ids(): string[] {
    return [...this.#records.keys()];
  }

  set(record: ScoreRecord): void {
    const { _id: id, normalizedAddress: wallet, score, updatedAt, label } = record;
    const before = this.#records.get(id);
    this.#records.delete(id);
    const reachedAt = before?.score === score ? before.reachedAt : updatedAt;
    this.#records.set(id, { id, wallet, score, reachedAt, label });
    this.#total(wallet, updatedAt, id);
  }

  remove(id: string, at: number): void {
    const record = this.#records.get(id);
    this.#records.delete(id);
    if (record) this.#total(record.wallet, at, id);
  }

  /** Best first; with a label, those that carry it. */
  rows(label?: string): Ranked[] {
    const all = this.#counting().sort((one, other) => this.#compare(one, other));
    return label === undefined ? all : all.filter((row) => row.label === label);
  }

  #counting(): Ranked[] {
    const { keep, entries } = this.#rules;
    const records = [...this.#records.values()];
    if (entries === 'all') return records;
    if (keep === 'sum' || keep === 'count') return [...this.#totals.values()];
    const byPlayer = Map.groupBy(records, ({ wallet }) => wallet);
    return [...byPlayer.values()].flatMap((own) => {
      const one = keep === 'latest' ? own.at(-1) : own.sort((a, b) => this.#compare(a, b))[0];
      return one ? [one] : [];
    });
  }

  #total(wallet: string, at: number, id: string): void {
    const own = [...this.#records.values()].filter((one) => one.wallet === wallet);
    if (own.length === 0) {
      this.#totals.delete(wallet);
      return;
    }
    const score = this.#rules.keep === 'count' ? own.length : own.reduce((sum, one) => sum + one.score, 0);
    const known = this.#totals.get(wallet);
    this.#totals.set(wallet, {
      id: known?.id ?? id,
      wallet,
      score,
      reachedAt: known?.score === score ? known.reachedAt : at,
      label: own.findLast((one) => one.label !== undefined)?.label,
    });
  }

  #compare(one: Ranked, other: Ranked): number {
    if (one.score !== other.score) {
      return this.#rules.order === 'desc' ? other.score - one.score : one.score - other.score;
    }
    if (one.reachedAt !== other.reachedAt) return one.reachedAt - other.reachedAt;
    return one.id < other.id ? -1 : 1;
  }
}
