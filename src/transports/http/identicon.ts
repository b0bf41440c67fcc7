import type { RequestHandler } from 'express';
import { GantryError } from '../../core/errors.ts';
import { guestPicture } from './guest-picture.ts';

/** `GET /avatars/<wallet>.svg`: the default avatar of a wallet or a guest, derived from the address. */
export const identicon: RequestHandler = async (request, response) => {
  const wallet = /^(0x[0-9a-f]{40})\.svg$/.exec(String(request.params.file))?.[1];
  if (!wallet) throw new GantryError('path_unknown', 'An avatar is at /avatars/<wallet in lowercase>.svg');
  response.setHeader('Cache-Control', 'public, max-age=31536000, immutable');
  response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
  // An SVG opened as a document must not run scripts.
  response.setHeader('Content-Security-Policy', "default-src 'none'; style-src 'unsafe-inline'");
  response.type('image/svg+xml').send(guestPicture(wallet) ?? (await identiconOf(wallet)));
};

async function identiconOf(wallet: string): Promise<string> {
  const { toSvg } = await import('jdenticon'); // loaded on first use
  return toSvg(wallet, 128);
}
