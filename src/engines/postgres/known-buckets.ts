import { LRUCache } from 'lru-cache';

/** The most cached buckets of all boards together; covers some 50 million players. */
const maxCachedBuckets = 200_000;
/** Boards whose sums are counted. */
const maxCountedBoards = 10_000;
/** Reading buckets takes as long as this many sums over the same board, plus that of the statement itself. */
const sumsPerReading = 32;
const sumsPerStatement = 4096;

/** The first key of a bucket: the columns that rows are ranked by. */
export type BucketKey = readonly [score: number, reachedAt: number, id: string];

/** A bucket, and how many rows come before it. */
export interface KnownBucket {
  readonly key: BucketKey;
  readonly place: number;
  readonly isLast: boolean;
}

/** The buckets of a board as they were at one moment. */
export class KnownBuckets {
  readonly keys: readonly BucketKey[];
  /** How many rows came before each bucket. */
  readonly #places: number[] = [];
  /**
   * The number of the counts (`board_versions`, lane −1). While it stays, so do the counts; moves come on top. Null: they
   * were never changed, and have no number.
   */
  readonly counted: number | null;
  /** How many places further down the key of the last guess was found. */
  shift = 0;

  constructor(buckets: readonly { key: BucketKey; count: number }[], counted: number | null) {
    this.keys = buckets.map(({ key }) => key);
    let place = 0;
    for (const { count } of buckets) {
      this.#places.push(place);
      place += count;
    }
    this.counted = counted;
  }

  /** The last bucket that begins at a place or before it. */
  lastBefore(place: number): KnownBucket | undefined {
    return this.#at(this.#lastWhere((at) => (this.#places[at] ?? 0) <= place));
  }

  /** How many rows were before the bucket with this first key. */
  placeOf(key: BucketKey): number {
    const bucket = this.#at(this.#lastWhere((at) => !isBefore(key, this.keys[at] ?? key)));
    if (!bucket || isBefore(bucket.key, key))
      throw new Error('a bucket is missing from the counts of a board');
    return bucket.place;
  }

  #at(index: number): KnownBucket | undefined {
    const key = this.keys[index];
    return key && { key, place: this.#places[index] ?? 0, isLast: index === this.keys.length - 1 };
  }

  /** The last index for which this is so, when it is so for all before it; −1: for none. */
  #lastWhere(isSo: (index: number) => boolean): number {
    let low = 0;
    let high = this.keys.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (isSo(middle)) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}

function isBefore([score, reachedAt, id]: BucketKey, other: BucketKey): boolean {
  if (score !== other[0]) return score < other[0];
  if (reachedAt !== other[1]) return reachedAt < other[1];
  return id < other[2];
}

/** The known buckets of boards, and whether reading those of a board is worth it. */
export class KnownBucketsOfBoards {
  readonly #buckets = new LRUCache<string, KnownBuckets>({
    maxSize: maxCachedBuckets,
    sizeCalculation: ({ keys }) => keys.length + 1,
  });
  /** Sums over buckets that the database has computed since they were last read here. `max` would allocate all at once. */
  readonly #sums = new LRUCache<string, number>({ maxSize: maxCountedBoards, sizeCalculation: () => 1 });

  get(board: string): KnownBuckets | undefined {
    return this.#buckets.get(board);
  }

  set(board: string, buckets: KnownBuckets): void {
    this.#buckets.set(board, buckets);
  }

  delete(board: string): void {
    this.#buckets.delete(board);
  }

  clear(): void {
    this.#buckets.clear();
  }

  /** Counts a sum that the database had to compute; true once all of them have cost as much as reading the buckets. */
  isWorthReading(board: string): boolean {
    const sums = (this.#sums.get(board) ?? 0) + 1;
    const buckets = this.#buckets.get(board)?.keys.length ?? sumsPerStatement;
    const isWorth = sums >= sumsPerReading + sumsPerStatement / buckets;
    this.#sums.set(board, isWorth ? 0 : sums);
    return isWorth;
  }
}
