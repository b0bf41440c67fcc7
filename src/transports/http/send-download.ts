import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Request, RequestHandler } from 'express';
import { GantryError } from '../../core/errors.ts';

/** A file that is streamed. Its content never changes under its name. */
export interface Download {
  name: string;
  bytes: number;
  stream(part?: Part): Readable;
}

/** Positions of the first and the last byte. */
interface Part {
  start: number;
  end: number;
}

/** Resolves a link to its file; null when it is unknown, used or expired. `consume` invalidates the link. */
export type OpenDownload = (link: string, options: { consume: boolean }) => Promise<Download | null>;

/**
 * Sends the file that the link in the path refers to, or one range of it (RFC 9110, 14). The link is the only credential
 * required.
 */
export function sendDownload(open: OpenDownload): RequestHandler<{ link: string }> {
  return async (request, response) => {
    const download = await open(request.params.link, { consume: request.method === 'GET' });
    if (download === null) {
      throw new GantryError('path_unknown', 'This link has been used or has expired: request a new one');
    }
    const { name, bytes } = download;
    const etag = `"${name}"`;
    const part = partOf(request, { bytes, etag });
    if (part === null) {
      response.writeHead(416, { 'Content-Range': `bytes */${bytes}`, 'Content-Length': 0 }).end();
      return;
    }
    response.writeHead(part ? 206 : 200, {
      'Content-Type': 'application/octet-stream',
      'Content-Length': part ? part.end - part.start + 1 : bytes,
      ...(part && { 'Content-Range': `bytes ${part.start}-${part.end}/${bytes}` }),
      'Accept-Ranges': 'bytes',
      ETag: etag,
      'Content-Disposition': `attachment; filename="${name}"`,
      'Cache-Control': 'no-store',
      'Referrer-Policy': 'no-referrer',
      'X-Content-Type-Options': 'nosniff',
    });
    if (request.method !== 'GET') {
      response.end();
      return;
    }
    // A truncated response is shorter than its Content-Length, which every client treats as a failure.
    await pipeline(download.stream(part), response).catch(() => response.destroy());
  };
}

/**
 * The range that a GET asks for; undefined for the whole file, also in place of several ranges; null when the file ends
 * before it.
 */
function partOf(request: Request, { bytes, etag }: { bytes: number; etag: string }): Part | undefined | null {
  const condition = request.get('If-Range');
  if (request.method !== 'GET' || (condition !== undefined && condition !== etag)) return undefined;
  const ranges = request.range(bytes);
  if (ranges === -1) return null;
  return Array.isArray(ranges) && ranges.type === 'bytes' && ranges.length === 1 ? ranges[0] : undefined;
}
