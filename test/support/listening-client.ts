import { type ClientOptions, GantryClient } from '../../src/sdk/client/client.ts';
import type { Cursor, Meta } from '../../src/sdk/client/cursors.ts';
import type { ReceivedName } from '../../src/sdk/client/operation-types.ts';
import { events, signals } from '../../src/server/declarations/events.ts';

/** An event as the reference client emitted it. */
export interface ClientReceived {
  name: ReceivedName;
  record: Record<string, unknown>;
  meta: Meta;
}

/** A client of any SDK, with everything it has emitted. */
export interface Listening {
  received: ClientReceived[];
  /** The streams it reported as incomplete, in that order. */
  resyncs: string[];
  /** Its cursors when it first became live: it must receive what comes after these. */
  start(): Record<string, Cursor>;
  /** How often it has become live. */
  connections(): number;
  /** Resolves when it is live. */
  ready(): Promise<void>;
  /** Its positions now. */
  cursors(): Promise<Record<string, Cursor>>;
  /**
   * Also subscribes it to its game's public stream, and gives that stream and its position; omitted: not subscribed.
   */
  subscribe?(): Promise<{ stream: string; seq: number }>;
  close(): unknown;
}

/** The reference client, in this process. */
export interface ListeningClient extends Listening, Disposable {
  client: GantryClient;
}

/** Of everything that a client can receive. */
export const receivedNames = [...Object.keys(events), ...Object.keys(signals)] as ReceivedName[];

export function listen(options: ClientOptions): ListeningClient {
  const client = new GantryClient(options);
  const received: ClientReceived[] = [];
  const resyncs: string[] = [];
  let start: Record<string, Cursor> | undefined;
  let connections = 0;
  for (const name of receivedNames) {
    client.on(name, (record, meta) => received.push({ name, record: { ...record }, meta }));
  }
  client.onResync((stream) => resyncs.push(stream));
  client.onStatus(({ state }) => {
    if (state !== 'live') return;
    connections++;
    start ??= client.cursors;
  });
  return {
    client,
    received,
    resyncs,
    start: () => start ?? {},
    connections: () => connections,
    ready: () => client.ready(),
    cursors: async () => client.cursors,
    subscribe: () => client.subscribe(),
    close: () => client.close(),
    [Symbol.dispose]: () => client.close(),
  };
}
