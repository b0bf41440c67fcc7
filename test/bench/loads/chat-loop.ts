import type { Socket } from 'socket.io-client';
import type { Chatted, SocketJob } from './jobs.ts';

type ChatJob = Extract<SocketJob, { kind: 'chat' }>;

const arrival = 'chat-messages created';
/** Characters of a message of typical length. */
const messageLength = 100;

/**
 * Sends until the time is up. The next message is sent when one has been acked and has reached every socket of this
 * process, so that no side is sent more than it delivers.
 */
export async function chatInLoop(
  sockets: readonly Socket[],
  { seconds, channelId, inFlight, sender }: ChatJob,
): Promise<Chatted> {
  const underWay = new Map<string, { sentAt: number; missing: number; complete(): void }>();
  const latencies: number[] = [];
  let count = 0;
  let sent = 0;
  const settle = (content: string) => {
    const message = underWay.get(content);
    if (!message || --message.missing > 0) return;
    underWay.delete(content);
    message.complete();
  };
  const arrive = ({ content }: { content: string }) => {
    count++;
    const message = underWay.get(content);
    if (!message) return; // another process's
    latencies.push(performance.now() - message.sentAt);
    settle(content);
  };
  const send = () =>
    new Promise<void>((resolve, reject) => {
      const content = `${sender} says ${sent}`.padEnd(messageLength, '.');
      const socket = sockets[sent++ % sockets.length];
      underWay.set(content, {
        sentAt: performance.now(),
        missing: sockets.length + 1, // the ack counts too
        complete: resolve,
      });
      socket?.emit('sendChannelMessage', 'launcher', { channelId, content }, {}, (error: unknown) => {
        if (error) reject(new Error(`sendChannelMessage: ${JSON.stringify(error)}`));
        else settle(content);
      });
    });

  for (const socket of sockets) socket.on(arrival, arrive);
  const startedAt = performance.now();
  const over = startedAt + seconds * 1000;
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      while (performance.now() < over) await send();
    }),
  );
  const elapsed = performance.now() - startedAt;
  for (const socket of sockets) socket.off(arrival, arrive);
  return { count, perSecond: (count / elapsed) * 1000, latencies: Float64Array.from(latencies) };
}
