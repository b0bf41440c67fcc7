import { z } from 'zod';
import { isCleanUrlText } from '../../core/schemas/web-url.ts';

/** The origin of sandboxed frames, and of pages opened from files (HTML standard, "opaque origin"). */
const opaque = 'null';
/** The origin that some web views send for pages opened from files, and Electron's for sockets. */
const file = 'file://';

/**
 * An origin as browsers send it: scheme, host and port, nothing after; a trailing slash is removed. Besides those of web
 * pages: `https://*.game.example`, where `*` stands for one label; an app's own scheme, as in `capacitor://localhost`;
 * `null` and `file://`.
 */
export const allowedOrigin = z
  .string()
  .max(500)
  .transform((text, context) => {
    const origin = text === `${file}/` ? file : text.replace(/(?<!\/)\/$/, '');
    const problem = problemOf(origin);
    if (problem === null) return origin;
    context.addIssue({ code: 'custom', message: problem });
    return z.NEVER;
  });

/** Whether pages of this origin may call a game with these allowed origins. */
export function admitsOrigin(allowed: readonly string[], origin: string): boolean {
  if (allowed.includes(origin)) return true;
  const wildcard = wildcardOf(origin);
  return wildcard !== null && allowed.includes(wildcard);
}

/** The wildcard that stands for this origin and its siblings: `https://*.b.example` for `https://a.b.example`. */
export function wildcardOf(origin: string): string | null {
  const wildcard = origin.replace(/^(https?:\/\/)[\w-]+(?=\.)/, '$1*');
  return wildcard !== origin && webOriginOf(wildcard) === wildcard ? wildcard : null;
}

function problemOf(text: string): string | null {
  if (text === opaque || text === file) return null;
  if (text === '*') return 'must be an origin; to allow pages of any origin, leave the list empty';
  if (/^(about|blob|data|file|javascript):/i.test(text)) {
    return 'must be an origin; pages opened from files and in sandboxed frames have the origin null';
  }
  const meant = originMeantBy(text);
  if (meant === text) return null;
  if (meant !== null) return `must be an origin: write ${meant}`;
  return text.includes('*')
    ? 'must be an origin, where * may be the first of at least three labels: https://*.game.example'
    : 'must be an origin such as https://game.example or capacitor://localhost';
}

/** The origin that a text is or probably means; null when it looks like none. */
function originMeantBy(text: string): string | null {
  if (/^(http|ws)s?:\/\//i.test(text)) return webOriginOf(text.replace(/^ws/i, 'http'));
  const [app] = /^(?!ftp:)[a-z][a-z0-9+.-]*:\/\/[\w.-]+(:\d{1,5})?(?=[/?#]|$)/.exec(text) ?? [];
  if (app !== undefined) return app;
  const isHost = /^(localhost|[^/:@]+\.[^/:@]+)(:\d+)?(\/|$)/.test(text);
  return isHost ? webOriginOf(`${text.startsWith('localhost') ? 'http' : 'https'}://${text}`) : null;
}

/** The origin of a URL whose first label may be `*`, as browsers write it; null for other wildcards and no URL. */
function webOriginOf(text: string): string | null {
  const isWildcard = /^https?:\/\/\*\./i.test(text);
  const url = URL.parse(isWildcard ? text.replace('*', 'a') : text);
  if (!url || url.hostname.includes('*') || !isCleanUrlText(url.hostname)) return null; // the URL standard accepts both
  if (!isWildcard) return url.origin;
  // `*.example` would allow what others register.
  return /^a\.(.+\.[^.]+|localhost)$/.test(url.hostname) ? url.origin.replace('://a.', '://*.') : null;
}
