import type { RequestHandler } from 'express';
import { GantryError } from '../../core/errors.ts';

/** `GET /avatars/<wallet>.svg`: the default avatar, derived from the wallet. */
export const identicon: RequestHandler = async (request, response) => {
  const wallet = /^(0x[0-9a-f]{40})\.svg$/.exec(String(request.params.file))?.[1];
  if (!wallet) throw new GantryError('path_unknown', 'An avatar is at /avatars/<wallet in lowercase>.svg');
  response.setHeader('Cache-Control', 'public, max-age=31536000, immutable');
  response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
  // An SVG opened as a document must not run scripts.
  response.setHeader('Content-Security-Policy', "default-src 'none'; style-src 'unsafe-inline'");
  const { toSvg } = await import('jdenticon'); // loaded on first use
  response.type('image/svg+xml').send(toSvg(wallet, 128));
};
