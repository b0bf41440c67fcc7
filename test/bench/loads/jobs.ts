import { z } from 'zod';

/** The commands of the load processes, and their responses. */

export const httpRequest = z.object({
  method: z.enum(['GET', 'POST']),
  path: z.string(),
  headers: z.record(z.string(), z.string()),
  body: z.string(),
});
export type HttpRequest = z.infer<typeof httpRequest>;

/** Sends requests repeatedly, on each connection the next one when the last is answered. */
export const httpJob = z.object({
  url: z.string(),
  seconds: z.number(),
  connections: z.int(),
  /** What each connection sends, cyclically; the connections are assigned the scripts in turn. */
  scripts: z.array(z.array(httpRequest).min(1)).min(1),
  /** Whether the answer includes `latencies`. */
  isTimed: z.boolean().optional(),
});
export type HttpJob = z.infer<typeof httpJob>;

/** Requests answered, or calls acked, with success: how many, and how many per second. */
export const succeeded = z.object({ count: z.int(), perSecond: z.number() });
/** The same with the time that each took, in milliseconds. */
export const timings = succeeded.extend({ latencies: z.instanceof(Float64Array) });
export type Timings = z.infer<typeof timings>;

/** `auth.cursors` of a handshake. */
const cursors = z.record(z.string(), z.object({ epoch: z.string(), seq: z.int() }));

export const socketJob = z.discriminatedUnion('kind', [
  /** Opens a socket for each token. */
  z.object({ kind: z.literal('connect'), url: z.string(), tokens: z.array(z.string()) }),
  /** Each socket calls an operation with the next of the data, cyclically, when the last call was acked. */
  z.object({
    kind: z.literal('call'),
    seconds: z.number(),
    method: z.string(),
    data: z.array(z.record(z.string(), z.unknown())).min(1),
  }),
  /** The sockets, all in one message channel, take turns at sending, with this many messages in flight. */
  z.object({
    kind: z.literal('chat'),
    seconds: z.number(),
    channelId: z.string(),
    inFlight: z.int(),
    /** Identifies this process's messages. */
    sender: z.string(),
  }),
  /** Opens a socket for each token, and waits until each has received its missed events. */
  z.object({
    kind: z.literal('storm'),
    url: z.string(),
    launchers: z.array(z.object({ launcherJwt: z.string(), cursors: cursors.nullable() })),
    missedEvents: z.int(),
  }),
  /** How many of the sockets stayed connected throughout. */
  z.object({ kind: z.literal('count') }),
  z.object({ kind: z.literal('disconnect') }),
]);
export type SocketJob = z.infer<typeof socketJob>;

export const done = z.literal('done');
/** Sockets connected. */
export const counted = z.int();
export const chatted = z.object({
  /** Messages delivered to sockets of this process, from any sender: how many, and how many per second. */
  count: z.int(),
  perSecond: z.number(),
  /** From sending to each arrival, of the messages sent and received by this process, in milliseconds. */
  latencies: z.instanceof(Float64Array),
});
export type Chatted = z.infer<typeof chatted>;
