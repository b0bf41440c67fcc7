import type { EventText, Listener } from '../../src/core/events/stream.ts';
import type { Database } from '../../src/core/storage/database.ts';
import { eventsOfStream, streamPosition, streamPositions } from '../../src/features/events/queries.ts';
import { Cursors } from '../../src/sdk/client/cursors.ts';
import type { Listening } from '../support/listening-client.ts';
import type { TestPlayer } from '../support/server.ts';

/** Compares what each client received with the store's events. */
export interface Balance {
  /** Events the clients emitted, in total. */
  received: number;
  /** Events a client should have received and did not. */
  missed: number;
  /** Events emitted after a later one of the same stream. */
  outOfOrder: number;
  /** Events emitted twice. */
  duplicates: number;
  /** Events emitted with content different from the store's. */
  altered: number;
  /** Acknowledged messages that some participant did not receive. */
  acknowledgedMissed: number;
}

/** What arrived on the wire beyond what was emitted. */
export interface WireCounts {
  /** Duplicates, dropped by their seq. */
  rawDuplicates: number;
  /** Times an event arrived out of order, and the client re-requested from its position. */
  gaps: number;
}

/** Counts decisions based on the clients' own cursors, until disposed. */
export function watchCursors(): { counts: WireCounts } & Disposable {
  const counts: WireCounts = { rawDuplicates: 0, gaps: 0 };
  const { judge } = Cursors.prototype;
  Cursors.prototype.judge = function (this: Cursors, name, meta, recordId) {
    const verdict = judge.call(this, name, meta, recordId);
    if (verdict === 'drop') counts.rawDuplicates++;
    if (verdict === 'gap') counts.gaps++;
    return verdict;
  };
  return {
    counts,
    [Symbol.dispose]() {
      Cursors.prototype.judge = judge;
    },
  };
}

/** A client and its player. */
export interface LedgerClient {
  /** `gameId`: null for a launcher's. */
  player: Pick<Listener, 'wallet' | 'gameId'>;
  listening: Listening;
  /** The public stream it has subscribed to, and its position then; omitted: none. */
  subscription?: { stream: string; seq: number } | undefined;
}

/** Whether every client has received its streams to their ends. */
export async function isCaughtUp(db: Database, clients: readonly LedgerClient[]): Promise<boolean> {
  for (const client of clients) {
    const cursors = await client.listening.cursors();
    for (const { stream, seq } of await positionsOf(db, client)) {
      if ((cursors[stream]?.seq ?? 0) < seq) return false;
    }
  }
  return true;
}

/** How far the delivery to each client has progressed. */
async function positionsOf(db: Database, { player, subscription }: LedgerClient) {
  const own = await db.read(streamPositions, player);
  return subscription ? [...own, await db.read(streamPosition, subscription.stream)] : own;
}

/** An event's content, without a message's text, which unsending erases from the store. */
function saidWithout(content: boolean, { name, record }: { name: string; record: object }): string {
  return JSON.stringify(content && name.startsWith('chat-messages') ? { ...record, content: '' } : record);
}

/** How often each prize was given, by its text and player, in the store. */
export async function prizesGiven(
  db: Database,
  players: readonly TestPlayer[],
): Promise<ReadonlyMap<string, number>> {
  const given = new Map<string, number>();
  for (const player of players) {
    const { stream } =
      (await db.read(streamPositions, player)).find((one) => one.stream.startsWith('player:')) ?? {};
    for (const { name, record } of stream === undefined ? [] : await wholeStream(db, stream)) {
      if (name !== 'notifications created' || !('message' in record)) continue;
      const text = String(record.message);
      if (!text.startsWith('prize ')) continue;
      const key = `${text} ${player.wallet}`;
      given.set(key, (given.get(key) ?? 0) + 1);
    }
  }
  return given;
}

/**
 * Compares what the clients received with the store; `acknowledged` are the ids of acknowledged messages, by stream.
 */
export async function balance(
  db: Database,
  clients: readonly LedgerClient[],
  acknowledged: ReadonlyMap<string, ReadonlySet<string>>,
): Promise<Balance> {
  const total: Balance = {
    received: 0,
    missed: 0,
    outOfOrder: 0,
    duplicates: 0,
    altered: 0,
    acknowledgedMissed: 0,
  };
  const truths = new Map<string, StoredEvent[]>();
  for (const client of clients) {
    const { listening, subscription } = client;
    const received = listening.received.filter(({ meta }) => meta.seq !== undefined); // others are signals
    total.received += received.length;
    for (const { stream } of await positionsOf(db, client)) {
      const truth = truths.get(stream) ?? (await wholeStream(db, stream));
      truths.set(stream, truth);
      const ofStream = received.filter(({ meta }) => meta.stream === stream);
      const isPublic = subscription?.stream === stream;
      const from = isPublic ? subscription.seq : (listening.start()[stream]?.seq ?? 0);
      const seqs = new Set<number>();
      // Whoever comes late misses nothing of what was before.
      const ids = new Set(truth.slice(0, from).map(({ record }) => '_id' in record && record._id));
      let last = 0;
      for (const { name, record, meta } of ofStream) {
        const seq = meta.seq ?? 0;
        if (seqs.has(seq)) total.duplicates++;
        else if (seq < last) total.outOfOrder++;
        const stored = truth[seq - 1];
        const isErased = stored !== undefined && 'content' in stored.record && stored.record.content === '';
        const isSame =
          stored?.name === name && saidWithout(isErased, stored) === saidWithout(isErased, { name, record });
        if (!isSame) total.altered++;
        seqs.add(seq);
        ids.add(record._id);
        last = Math.max(last, seq);
      }
      total.missed += truth.filter(({ seq }) => seq > from && !seqs.has(seq)).length;
      for (const id of acknowledged.get(stream) ?? []) if (!ids.has(id)) total.acknowledgedMissed++;
    }
  }
  return total;
}

export type StoredEvent = Omit<EventText, 'record'> & { record: object };

export async function wholeStream(db: Database, stream: string): Promise<StoredEvent[]> {
  const all: StoredEvent[] = [];
  for (;;) {
    const page = await db.read(eventsOfStream, stream, all.at(-1)?.seq ?? 0, 500);
    all.push(...page.map(({ record, ...event }) => ({ ...event, record: JSON.parse(record) as object })));
    if (page.length < 500) return all;
  }
}
