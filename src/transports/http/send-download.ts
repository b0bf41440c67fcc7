import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { RequestHandler } from 'express';
import { GantryError } from '../../errors.ts';

/** A file that is sent as it is read, however large it is. */
export interface Download {
  name: string;
  bytes: number;
  stream(): Readable;
}

/** What a link leads to; null: nowhere, or not any more. With `consume`, it does so for the last time. */
export type OpenDownload = (link: string, options: { consume: boolean }) => Promise<Download | null>;

/** Sends what the link in the path leads to. The link is all that is asked for: whoever has it was given it. */
export function sendDownload(open: OpenDownload): RequestHandler<{ link: string }> {
  return async (request, response) => {
    const download = await open(request.params.link, { consume: request.method === 'GET' });
    if (download === null) {
      throw new GantryError('path_unknown', 'This link has been used or has expired: ask for another one');
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
    // Cut short, the answer has fewer bytes than it said, which every client takes for a failure.
    await pipeline(download.stream(), response).catch(() => response.destroy());
  };
}
