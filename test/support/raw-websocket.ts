import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { until } from './until.ts';

/** A WebSocket at the level of its bytes (RFC 6455), for frames that no library would send. */
export interface RawWebSocket extends Disposable {
  socket: Socket;
  /** Texts of the received frames, in order; of control frames, only a close appears, in `closeCode`. */
  texts: string[];
  /** The code of the received close frame, 1005 for one without; null until one has arrived. */
  closeCode(): number | null;
  /** Whether the connection is closed. */
  isClosed(): boolean;
  send(...frames: Buffer[]): void;
}

export interface FrameOptions {
  fin?: boolean;
  /** The three reserved bits. */
  rsv?: number;
  masked?: boolean;
  /** Replaces the payload's actual length. */
  length?: bigint;
}

export const opcodes = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

/** A client's frame. */
export function frame(
  opcode: number,
  payload: string | Buffer = '',
  { fin = true, rsv = 0, masked = true, length }: FrameOptions = {},
): Buffer {
  const bytes = typeof payload === 'string' ? Buffer.from(payload) : payload;
  const size = length ?? BigInt(bytes.length);
  const first = (fin ? 0x80 : 0) | (rsv << 4) | opcode;
  const mask = masked ? 0x80 : 0;
  const head =
    size < 126n
      ? Buffer.from([first, mask | Number(size)])
      : size < 65_536n
        ? Buffer.from([first, mask | 126, Number(size >> 8n), Number(size & 0xffn)])
        : Buffer.concat([Buffer.from([first, mask | 127]), bigEndian(size)]);
  if (!masked) return Buffer.concat([head, bytes]);
  const key = randomBytes(4);
  return Buffer.concat([head, key, bytes.map((byte, at) => byte ^ (key[at % 4] ?? 0))]);
}

export const text = (payload: string | Buffer, options?: FrameOptions) =>
  frame(opcodes.text, payload, options);

/**
 * Opens a WebSocket to Socket.IO's path, with a further `query`; resolves once the server's first frame has arrived, or
 * with the id of a session in the query, to which the server sends nothing by itself, once it is open.
 */
export async function openRawWebSocket(
  { url }: { url: string },
  localAddress?: string,
  query = '',
): Promise<RawWebSocket> {
  const { port } = new URL(url);
  const socket = connect({ port: Number(port), host: '127.0.0.1', ...(localAddress && { localAddress }) });
  await once(socket, 'connect');
  let received: Buffer = Buffer.alloc(0);
  let isUpgraded = false;
  let isClosed = false;
  let closeCode: number | null = null;
  const texts: string[] = [];
  socket.on('error', () => {}); // a reset is one way to be closed
  socket.once('close', () => {
    isClosed = true;
  });
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    if (!isUpgraded) {
      const headEnds = received.indexOf('\r\n\r\n');
      if (headEnds < 0) return;
      isUpgraded = received.subarray(0, headEnds).includes(' 101 ');
      received = received.subarray(headEnds + 4);
    }
    for (let taken = takeFrame(received); taken; taken = takeFrame(received)) {
      received = received.subarray(taken.size);
      if (taken.opcode === opcodes.text) texts.push(taken.payload.toString('utf8'));
      if (taken.opcode === opcodes.close) {
        closeCode = taken.payload.length >= 2 ? taken.payload.readUInt16BE(0) : 1005;
      }
    }
  });
  socket.write(
    `GET /socket.io/?EIO=4&transport=websocket${query} HTTP/1.1\r\n` +
      'Host: gantry\r\nUpgrade: websocket\r\n' +
      'Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  );
  await until('the first frame, or open', () => isClosed || texts.length > 0 || (isUpgraded && query !== ''));
  return {
    socket,
    texts,
    closeCode: () => closeCode,
    isClosed: () => isClosed,
    send: (...frames) => {
      for (const one of frames) socket.write(one);
    },
    [Symbol.dispose]: () => socket.destroy(),
  };
}

/** The first complete frame of a server's bytes; a server's frames are unmasked. */
function takeFrame(bytes: Buffer): { opcode: number; payload: Buffer; size: number } | null {
  const [first = 0, second = 0] = bytes;
  if (bytes.length < 2) return null;
  const extra = second === 127 ? 8 : second === 126 ? 2 : 0;
  if (bytes.length < 2 + extra) return null;
  const length =
    extra === 8 ? Number(bytes.readBigUInt64BE(2)) : extra === 2 ? bytes.readUInt16BE(2) : second;
  const size = 2 + extra + length;
  if (bytes.length < size) return null;
  return { opcode: first & 0x0f, payload: bytes.subarray(2 + extra, size), size };
}

function bigEndian(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(value);
  return bytes;
}
