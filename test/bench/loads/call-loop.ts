import type { Socket } from 'socket.io-client';
import type { Done } from '../throughput.ts';
import type { SocketJob } from './jobs.ts';

type CallJob = Extract<SocketJob, { kind: 'call' }>;

/** Calls until the time is up; rejects when a call failed. */
export async function callInLoop(
  sockets: readonly Socket[],
  { seconds, method, data }: CallJob,
): Promise<Done> {
  let acked = 0;
  const startedAt = performance.now();
  const over = startedAt + seconds * 1000;
  await Promise.all(
    sockets.map(
      (socket) =>
        new Promise<void>((resolve, reject) => {
          let next = 0;
          const call = () => {
            socket.emit(method, 'launcher', data[next++ % data.length], {}, (error: unknown) => {
              if (error) return reject(new Error(`${method}: ${JSON.stringify(error)}`));
              acked++;
              return performance.now() < over ? call() : resolve();
            });
          };
          call();
        }),
    ),
  );
  return { count: acked, perSecond: (acked / (performance.now() - startedAt)) * 1000 };
}
