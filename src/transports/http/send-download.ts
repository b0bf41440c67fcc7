import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { RequestHandler } from 'express';
import { GantryError } from '../../core/errors.ts';

/** A file that is streamed. */
export interface Download {
  name: string;
  bytes: number;
  stream(): Readable;
}

/** Resolves a link to its file; null when it is unknown, used or expired. `consume` invalidates the link. */
export type OpenDownload = (link: string, options: { consume: boolean }) => Promise<Download | null>;

/** Sends the file that the link in the path refers to. The link is the only credential required. */
export function sendDownload(open: OpenDownload): RequestHandler<{ link: string }> {
  return async (request, response) => {
    const download = await open(request.params.link, { consume: request.method === 'GET' });
    if (download === null) {
      throw new GantryError('path_unknown', 'This link has been used or has expired: request a new one');
    }
    response.writeHead(200, {
      'Content-Type': 'application/octet-stream',
      'Content-Length': download.bytes,
      'Content-Disposition': `attachment; filename="${download.name}"`,
      'Cache-Control': 'no-store',
      'Referrer-Policy': 'no-referrer',
      'X-Content-Type-Options': 'nosniff',
    });
    if (request.method !== 'GET') {
      response.end();
      return;
    }
    // A truncated response is shorter than its Content-Length, which every client treats as a failure.
    await pipeline(download.stream(), response).catch(() => response.destroy());
  };
}
