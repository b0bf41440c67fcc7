import type { LaneRow } from './tables.ts';

const dayMs = 24 * 60 * 60 * 1000;

type Spent = Pick<LaneRow, 'spentDay' | 'spentWei'>;

/**
 * What a lane's transactions of today (UTC) may cost at most, in wei: gas limit × maximum fee, with what replacing them
 * adds. What they did cost is not asked, because the RPC server that said so may be wrong. A clock that was set back
 * begins no new day.
 */
export function spentToday({ spentDay, spentWei }: Spent, now: number): bigint {
  return dayOf(now) > spentDay ? 0n : BigInt(spentWei);
}

/** The lane's columns once `wei` more are admitted; null when that is more than `dailyWei` a day. Decimal texts. */
export function admitted(row: Spent, wei: string, dailyWei: string, now: number): Spent | null {
  const spent = spentToday(row, now) + BigInt(wei);
  if (spent > BigInt(dailyWei)) return null;
  return { spentDay: Math.max(row.spentDay, dayOf(now)), spentWei: String(spent) };
}

function dayOf(now: number): number {
  return Math.floor(now / dayMs);
}
