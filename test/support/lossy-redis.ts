import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/**
 * A port of 127.0.0.1 that forwards to a Redis, and drops half of the messages that Redis publishes to its clients: at
 * random, since of two nodes that take turns, every second message is always the same node's.
 */
export interface LossyRedis extends AsyncDisposable {
  url: string;
  /** Messages published to its clients. */
  counts: { passed: number; lost: number };
}

export async function startLossyRedis(redisUrl: string): Promise<LossyRedis> {
  const { hostname, port } = new URL(redisUrl);
  const counts = { passed: 0, lost: 0 };
  const open = new Set<Socket>();
  const listener = createServer((client) => {
    const redis = connect(Number(port), hostname);
    for (const [socket, other] of [
      [client, redis],
      [redis, client],
    ] as const) {
      open.add(socket);
      socket.on('error', () => socket.destroy());
      socket.once('close', () => {
        open.delete(socket);
        other.destroy();
      });
    }
    client.pipe(redis);
    let rest = Buffer.alloc(0);
    redis.on('data', (chunk: Buffer) => {
      rest = Buffer.concat([rest, chunk]);
      for (;;) {
        const end = endOfReply(rest, 0);
        if (end === null) return;
        const reply = rest.subarray(0, end);
        rest = rest.subarray(end);
        if (isPublished(reply) && Math.random() < 0.5) counts.lost++;
        else {
          if (isPublished(reply)) counts.passed++;
          client.write(reply);
        }
      }
    });
  }).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  return {
    url: `redis://127.0.0.1:${(listener.address() as AddressInfo).port}`,
    counts,
    async [Symbol.asyncDispose]() {
      const closed = once(listener, 'close');
      listener.close();
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}

/** `message`, or `pmessage` and `smessage`, as Redis pushes them to a subscribed connection. */
function isPublished(reply: Buffer): boolean {
  return /^[*>][34]\r\n\$[78]\r\n[ps]?message\r\n/.test(reply.toString('latin1', 0, 32));
}

/** Where the RESP value that begins at `from` ends; null when it is incomplete. */
function endOfReply(bytes: Buffer, from: number): number | null {
  const line = bytes.indexOf('\r\n', from);
  if (line < 0) return null;
  const kind = String.fromCharCode(bytes[from] ?? 0);
  const count = Number(bytes.toString('latin1', from + 1, line));
  const next = line + 2;
  if ('$!='.includes(kind)) {
    const end = count < 0 ? next : next + count + 2;
    return end <= bytes.length ? end : null;
  }
  if (!'*>~%'.includes(kind)) return next;
  const values = kind === '%' ? 2 * count : count;
  let end: number | null = next;
  for (let at = 0; at < values && end !== null; at++) end = endOfReply(bytes, end);
  return end;
}
