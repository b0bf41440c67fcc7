import type { Store } from '../../core/storage/store.ts';
import type { ClaimedDelivery, ClaimTerms } from './delivery.ts';
import { claimDeliveries } from './delivery-commands.ts';
import { listDueWebhooks } from './queries.ts';

/** The most webhooks per claim. */
const maxWebhooksPerClaim = 500;

/** Claims due deliveries, as far as there is room; writes nothing if none is due. */
export async function claimDue(db: Store, node: string, terms: ClaimTerms): Promise<ClaimedDelivery[]> {
  const due = await db.read(listDueWebhooks);
  const isFull = (url: string) => (terms.busyHosts[new URL(url).host] ?? terms.perHost) <= 0;
  const ids = due.filter(({ url }) => !isFull(url)).map(({ id }) => id);
  return ids.length === 0 ? [] : db.write(claimDeliveries, node, ids.slice(0, maxWebhooksPerClaim), terms);
}
