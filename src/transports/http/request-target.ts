/**
 * The origin-form of a request's target, which is all that routes know: servers must accept the absolute-form
 * `http://host/path` too (RFC 9112, 3.2.2), and clients whose base URL ends in a slash send `//launcher/…`. `*`, which
 * names no path, stays as it is.
 */
export function originForm(target: string): string {
  if (target.charCodeAt(0) === slash && target.charCodeAt(1) !== slash) return target;
  const rest = target.replace(schemeAndHost, '');
  if (rest === '*') return rest;
  return rest.replace(/^\/*/, '/');
}

const slash = 0x2f;
const schemeAndHost = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i;
