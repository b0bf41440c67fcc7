import type { RequestHandler } from 'express';
import { GantryError } from '../../errors.ts';

/** `GET /avatars/<wallet>.svg`: the picture shown for a player who chose none. The same wallet, the same picture. */
export const identicon: RequestHandler = async (request, response) => {
  const wallet = /^(0x[0-9a-f]{40})\.svg$/.exec(String(request.params.file))?.[1];
  if (!wallet) throw new GantryError('path_unknown', 'An avatar is at /avatars/<wallet in lowercase>.svg');
  response.setHeader('Cache-Control', 'public, max-age=31536000, immutable');
  response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
  // The picture must not run anything when it is opened by itself.
  response.setHeader('Content-Security-Policy', "default-src 'none'; style-src 'unsafe-inline'");
  const { toSvg } = await import('jdenticon'); // loaded with the first picture that is asked for
  response.type('image/svg+xml').send(toSvg(wallet, 128));
};
