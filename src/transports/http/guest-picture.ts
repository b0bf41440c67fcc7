import { guestBytes, guestWords } from '../../core/schemas/default-name.ts';

/**
 * A guest's default picture: the initials of its default name, on the hue of the adjective and a disc in that of the
 * animal. The next bytes of the address place the disc, so that guests with the same name differ. Null for a wallet.
 */
export function guestPicture(address: string): string | null {
  const words = guestWords(address);
  if (!words) return null;
  const [adjective = 0, animal = 0, x = 0, y = 0, size = 0] = guestBytes(address);
  const initials = words.map((word) => word.charAt(0).toUpperCase()).join('');
  return [
    '<svg xmlns="http://www.w3.org/2000/svg" width="128" height="128" viewBox="0 0 128 128">',
    `<rect width="128" height="128" fill="${color(adjective, 0.36)}"/>`,
    `<circle cx="${x / 2}" cy="${y / 2}" r="${32 + size / 8}" fill="${color(animal, 0.26)}"/>`,
    '<text x="64" y="64" dy=".35em" text-anchor="middle" font-family="sans-serif" font-size="56" font-weight="600" fill="#fff">',
    `${initials}</text></svg>`,
  ].join('');
}

/** The hue of a word, by its place among 256, dark enough for white letters; hex, as not every SVG renderer knows `hsl()`. */
function color(place: number, lightness: number): string {
  const channel = (offset: number) => {
    const at = (offset + (place / 256) * 12) % 12;
    const value = lightness * (1 - 0.5 * Math.max(-1, Math.min(at - 3, 9 - at, 1)));
    return Math.round(value * 255)
      .toString(16)
      .padStart(2, '0');
  };
  return `#${channel(0)}${channel(8)}${channel(4)}`;
}
