import { z } from 'zod';

/** Longest URL accepted, in characters. */
const maxLength = 2_000;

/**
 * Characters that never stand in a URL unescaped (RFC 3986, 2): controls, invisible characters, spaces, quotes, brackets
 * of markup. Browsers strip or escape some of them, so that a URL would not be what it looks like.
 */
const unescaped = /[\p{Cc}\p{Cf}\p{Z}"<>\\^`{|}]/u;

/** Whether a URL or path contains only characters that may stand in one. */
export function isCleanUrlText(text: string): boolean {
  return !unescaped.test(text);
}

/** Whether this is an absolute http(s) URL without user name and password, written as the URL standard reads it. */
export function isWebUrl(text: string): boolean {
  if (!/^https?:\/\/[^/]/i.test(text) || !isCleanUrlText(text)) return false;
  const url = URL.parse(text);
  return url !== null && url.username === '' && url.password === '' && !/^https?:\/\/[^/?#]*@/i.test(text);
}

/** Whether a URL consists of scheme, host and port only; a slash at the end is allowed. */
export function isOrigin(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^\/*$/.test(url.pathname) && !/[?#]/.test(text);
}

/** An absolute http(s) URL, as callers and administrators set it for others to open. */
export const webUrl = z
  .string()
  .max(maxLength)
  .refine(isWebUrl, 'must be an http(s) URL without user name, password, spaces or quotes')
  .meta({ format: 'uri' });
