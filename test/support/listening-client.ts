import { catalogue, signals } from '../../src/catalogue/events.ts';
import { type ClientOptions, GantryClient } from '../../src/client/client.ts';
import type { Cursor, Meta } from '../../src/client/cursors.ts';
import type { HeardName } from '../../src/client/operation-types.ts';

/** An event as the reference client passed it on. */
export interface ClientHeard {
  name: HeardName;
  record: Record<string, unknown>;
  meta: Meta;
}

/** A client of any SDK, with everything it has passed on. */
export interface Listening {
  heard: ClientHeard[];
  /** The streams it said could not be had whole, in the order it said so. */
  resyncs: string[];
  /** Its cursors when it was live for the first time: what comes after these is to be heard. */
  start(): Record<string, Cursor>;
  /** How often it has become live. */
  connections(): number;
  /** Resolves when it is live. */
  ready(): Promise<void>;
  /** Its positions now. */
  cursors(): Promise<Record<string, Cursor>>;
  /** Has it hear its game's public stream too, and says which that is and where it stood; left out: it does not. */
  subscribe?(): Promise<{ stream: string; seq: number }>;
  close(): unknown;
}

/** The reference client, in this process. */
export interface ListeningClient extends Listening, Disposable {
  client: GantryClient;
}

const names = [...Object.keys(catalogue), ...Object.keys(signals)] as HeardName[];

export function listen(options: ClientOptions): ListeningClient {
  const client = new GantryClient(options);
  const heard: ClientHeard[] = [];
  const resyncs: string[] = [];
  let start: Record<string, Cursor> | undefined;
  let connections = 0;
  for (const name of names) {
    client.on(name, (record, meta) => heard.push({ name, record: { ...record }, meta }));
  }
  client.onResync((stream) => resyncs.push(stream));
  client.onStatus(({ state }) => {
    if (state !== 'live') return;
    connections++;
    start ??= client.cursors;
  });
  return {
    client,
    heard,
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
