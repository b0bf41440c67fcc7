import { z } from 'zod';
import { timestamp } from '../core/schemas/fields.ts';

/** A process that serves this Gantry. */
export const nodeRecord = z
  .object({
    id: z.string().meta({ description: 'Id of the node, different after each start' }),
    host: z.string(),
    pid: z.int(),
    version: z.string().meta({ description: 'Version of Gantry' }),
    runtime: z.string().meta({ description: 'Version of Node.js' }),
    startedAt: timestamp,
    sockets: z.int().meta({ description: 'Connected sockets' }),
    requestsPerSecond: z.number(),
    busy: z.number().meta({
      description: 'Share of the last seconds in which the main thread was busy; near 1, it is overloaded',
    }),
    isThis: z.boolean().meta({ description: 'Whether this is the responding node' }),
  })
  .meta({ id: 'NodeRecord' });
export type NodeRecord = z.infer<typeof nodeRecord>;

/** A process's announcement of itself. */
export type NodeStatus = Omit<NodeRecord, 'isThis'>;

/** The processes that serve this Gantry. */
export interface Nodes {
  /** The nodes announced in the last seconds, the oldest first; always includes this one. */
  list(): Promise<NodeRecord[]>;
  close(): Promise<void>;
}

/** For the command line without a running server. */
export const noNodes: Nodes = { list: async () => [], close: async () => {} };

/** A single process. Sufficient without Redis, since there are no other nodes. */
export function singleNode(status: () => NodeStatus): Nodes {
  return { list: async () => [{ ...status(), isThis: true }], close: async () => {} };
}
