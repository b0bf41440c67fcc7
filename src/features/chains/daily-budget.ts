import type { LaneRow } from './tables.ts';

const dayMs = 24 * 60 * 60 * 1000;

type Spent = Pick<LaneRow, 'spentDay' | 'spentWei'>;

/**
 * The maximum cost of a lane's transactions today (UTC), in wei: gas limit × maximum fee, plus what replacements add.
 * The actual cost is not used, because the RPC server that reports it may be wrong. A clock that is set back does not
 * start a new day.
 */
export function spentToday({ spentDay, spentWei }: Spent, now: number): bigint {
  return dayOf(now) > spentDay ? 0n : BigInt(spentWei);
}

/** The lane's columns after spending `wei` more; null if that exceeds `dailyWei` per day. Decimal texts. */
export function charge(row: Spent, wei: string, dailyWei: string, now: number): Spent | null {
  const spent = spentToday(row, now) + BigInt(wei);
  if (spent > BigInt(dailyWei)) return null;
  return { spentDay: Math.max(row.spentDay, dayOf(now)), spentWei: String(spent) };
}

function dayOf(now: number): number {
  return Math.floor(now / dayMs);
}
