import type { Request, Response } from 'express';
import type { ServedFile } from '../../pages/served-file.ts';

/** Sends a file in an encoding the client accepts, or 304 when the client's copy is fresh. */
export async function sendFile(request: Request, response: Response, file: ServedFile): Promise<void> {
  const encoding = file.choose((encodings) => request.acceptsEncodings(encodings));
  response.setHeader('Content-Type', file.type);
  response.vary('Accept-Encoding');
  response.setHeader('ETag', encoding === 'identity' ? `"${file.version}"` : `"${file.version}-${encoding}"`);
  if (response.statusCode === 200 && request.fresh) {
    response.status(304).end();
    return;
  }
  const body = await file.in(encoding);
  if (encoding !== 'identity') response.setHeader('Content-Encoding', encoding);
  response.setHeader('Content-Length', body.byteLength);
  response.end(request.method === 'HEAD' ? undefined : body);
}
