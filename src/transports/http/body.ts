import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { GantryError } from '../../errors.ts';
import type { BodyIntake } from './body-intake.ts';
import { bodyTooLarge } from './respond.ts';

/** In bytes; a larger body is not read to its end (DESIGN.md "Errors"). */
export const maxBodyBytes = 2 * 1024 * 1024;

/** So much of a refused body is still taken in, for a client that sends on before it reads the refusal. */
const toleratedBytes = 4 * maxBodyBytes;
/** Bodies up to this are not counted among what is held in memory. */
const uncountedBytes = 4 * 1024;
/** So long a client may go on sending a body that was refused. */
const refusedBodyMs = 5_000;

/** So much may come of a small compressed body, and so many times its size of a larger one. */
export const unpackedAnyway = 64 * 1024;
export const unpackedAtMostTimes = 100;

const unpackers = { gzip: promisify(gunzip), deflate: promisify(inflate), br: promisify(brotliDecompress) };

/** Where the bytes of a body are counted, as they come in and before they are unpacked. */
export interface BodyCount {
  /** @throws GantryError when no more may be held */
  admit(bytes: number): void;
  take(bytes: number): void;
}

/** What is done with a body while it comes in. */
export interface BodyReading {
  count: BodyCount;
  intake: BodyIntake;
  /** Sees how a large body begins. @throws GantryError when the rest is not wanted */
  begins(part: Buffer): void;
}

/** A body of this size is large, in bytes: a smaller one is read sooner than it is handed over to a thread. */
export const largeBodyBytes = 64 * 1024;

/**
 * Reads the body whatever its content type says: browsers and Unity send JSON as text/plain. One that is too
 * large is answered as soon as that shows, and null is returned; so it is when the request was broken off.
 * @throws GantryError `body_not_json` when it cannot be decoded; what `count` and `begins` throw
 */
export async function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  reading: BodyReading,
): Promise<Buffer | null> {
  const sent = await receive(request, response, reading);
  if (sent === null || sent.length === 0) return sent;
  const encoding = encodingOf(request);
  return encoding === null ? sent : unpack(sent, encoding, reading.count);
}

/** Takes in what comes of a body that nobody will read, as `readBody` does once it has refused one. */
export function dropBody(request: IncomingMessage, response: ServerResponse, intake: BodyIntake): void {
  let received = 0;
  request.on('data', (chunk: Buffer) => {
    received += chunk.length;
    if (received > toleratedBytes) request.destroy();
    else intake.dropped(request, chunk.length);
  });
  response.once('finish', () => closeUnlessComplete(request));
}

function receive(
  request: IncomingMessage,
  response: ServerResponse,
  { count, intake, begins }: BodyReading,
): Promise<Buffer | null> {
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = [];
    let received = 0;
    let counted = 0;
    let isRefused = false;
    const announced = Number(request.headers['content-length'] ?? 0);
    const refuse = (error: unknown) => {
      isRefused = true;
      response.once('finish', () => closeUnlessComplete(request));
      chunks = []; // what came so far is not wanted, and may be much
      reject(error);
    };
    request.on('data', (chunk: Buffer) => {
      received += chunk.length;
      if (received > toleratedBytes) request.destroy();
      if (isRefused) {
        intake.dropped(request, chunk.length);
        return;
      }
      if (received > uncountedBytes) intake.took(request, chunk.length);
      try {
        if (received === chunk.length && announced >= largeBodyBytes) begins(chunk);
        if (received > maxBodyBytes) throw bodyTooLarge();
        // Small ones are bounded by how many there can be.
        if (received > uncountedBytes) {
          count.admit(received - counted);
          count.take(received - counted);
          counted = received;
        }
        chunks.push(chunk);
      } catch (error) {
        refuse(error);
      }
    });
    if (announced > maxBodyBytes) refuse(bodyTooLarge());
    // Each of these comes once. A request that is broken off has no error to show unless somebody listens for it.
    request.on('end', () => {
      const [only] = chunks;
      resolve(only && chunks.length === 1 ? only : Buffer.concat(chunks));
    });
    request.on('close', () => resolve(null));
  });
}

/** Nobody reads on a connection that goes on sending what was refused. */
function closeUnlessComplete(request: IncomingMessage): void {
  if (request.complete) return;
  setTimeout(() => {
    if (!request.complete) request.destroy();
  }, refusedBodyMs).unref();
}

/** The one coding of a body; null: none. @throws GantryError `body_not_json` */
function encodingOf({ headers }: IncomingMessage): keyof typeof unpackers | null {
  if (headers['content-encoding'] === undefined) return null;
  const named = headers['content-encoding'].trim().toLowerCase();
  if (named === 'identity' || named === '') return null;
  if (named === 'gzip' || named === 'deflate' || named === 'br') return named;
  throw unreadable();
}

/** A few bytes may unpack to millions: so much is made of a body as it took some trouble to send. */
async function unpack(sent: Buffer, encoding: keyof typeof unpackers, count: BodyCount): Promise<Buffer> {
  const maxOutputLength = Math.min(maxBodyBytes, unpackedAnyway + unpackedAtMostTimes * sent.length);
  count.admit(maxOutputLength);
  try {
    const unpacked = await unpackers[encoding](sent, { maxOutputLength });
    count.take(unpacked.length);
    return unpacked;
  } catch (error) {
    if (!(error instanceof RangeError)) throw unreadable();
    if (maxOutputLength === maxBodyBytes) throw bodyTooLarge();
    throw new GantryError(
      'body_too_large',
      `The request body unpacks to more than ${unpackedAtMostTimes} times its size: send it less compressed, or as it is`,
    );
  }
}

function unreadable(): GantryError {
  return new GantryError(
    'body_not_json',
    'The request body could not be read: it was cut short or is encoded in an unknown way',
  );
}
