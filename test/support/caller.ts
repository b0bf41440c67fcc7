import { io } from 'socket.io-client';

/** A socket that only calls operations. */
export interface TestCaller extends Disposable {
  /** Calls an operation; rejects with the error body the server acked. */
  call(method: string, data?: unknown, service?: string): Promise<unknown>;
}

/** Connects over WebSocket with these headers, as through a proxy; resolves once connected. */
export async function connectWithHeaders(url: string, headers: Record<string, string>): Promise<TestCaller> {
  const socket = io(url, {
    extraHeaders: headers,
    transports: ['websocket'],
    forceNew: true,
    reconnection: false,
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('connect_error', reject);
  });
  return {
    call: (method, data = {}, service = 'launcher') =>
      new Promise((resolve, reject) => {
        socket.emit(method, service, data, {}, (error: unknown, result: unknown) =>
          error ? reject(error) : resolve(result),
        );
      }),
    [Symbol.dispose]: () => socket.disconnect(),
  };
}
