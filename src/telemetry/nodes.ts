import { z } from 'zod';
import { timestamp } from '../core/schemas/ids.ts';

/** A process that serves this Gantry. */
export const nodeRecord = z
  .object({
    id: z.string().meta({ description: 'New at each start' }),
    host: z.string(),
    pid: z.int(),
    version: z.string().meta({ description: "Gantry's" }),
    runtime: z.string().meta({ description: 'The version of Node.js' }),
    startedAt: timestamp,
    sockets: z.int().meta({ description: 'Connected sockets' }),
    requestsPerSecond: z.number(),
    isThis: z.boolean().meta({ description: 'Whether it is the one that answers' }),
  })
  .meta({ id: 'NodeRecord' });
export type NodeRecord = z.infer<typeof nodeRecord>;

/** What a process says of itself. */
export type NodeStatus = Omit<NodeRecord, 'isThis'>;

/** The processes that serve this Gantry together. */
export interface Nodes {
  /** Those that were heard of in the last seconds, the oldest first; at least the one that answers. */
  list(): Promise<NodeRecord[]>;
  close(): Promise<void>;
}

/** Where no server runs: none. */
export const noNodes: Nodes = { list: async () => [], close: async () => {} };

/** A process by itself. Enough without Redis, where there is no other. */
export class SingleNode implements Nodes {
  readonly #status: () => NodeStatus;

  constructor(status: () => NodeStatus) {
    this.#status = status;
  }

  async list(): Promise<NodeRecord[]> {
    return [{ ...this.#status(), isThis: true }];
  }

  async close(): Promise<void> {}
}
