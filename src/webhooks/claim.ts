import type { Database } from '../core/storage/database.ts';
import type { ClaimedDelivery, ClaimTerms } from './delivery.ts';
import { claimDeliveries } from './delivery-commands.ts';
import { listDueWebhooks } from './queries.ts';

/** So many webhooks are served at a time. */
const servedAtOnce = 500;

/** Claims what is due and there is room for; writes nothing when nothing is. */
export async function claimDue(db: Database, node: string, terms: ClaimTerms): Promise<ClaimedDelivery[]> {
  const due = await db.read(listDueWebhooks);
  const isFull = (url: string) => (terms.busyHosts[new URL(url).host] ?? terms.perHost) <= 0;
  const ids = due.filter(({ url }) => !isFull(url)).map(({ id }) => id);
  return ids.length === 0 ? [] : db.write(claimDeliveries, node, ids.slice(0, servedAtOnce), terms);
}
