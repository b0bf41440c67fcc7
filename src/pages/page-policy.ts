/**
 * The pages: `/<name>` is `public/<name>/index.html`, `/` is `public/index.html`, and `docs` are all pages of the
 * manual.
 */
export const pageNames = ['', 'play', 'demo-game', 'console', 'docs'] as const;
export type PageName = (typeof pageNames)[number];

/** What a page's policy depends on besides the page. */
export interface PolicyOptions {
  /** URLs of the registered games, which the launcher opens in a frame; a path when on this server. */
  gameUrls: readonly string[];
  /** URLs of the games' images, likewise. */
  gameImages: readonly string[];
}

type Directives = Record<string, readonly string[]>;

/** Nothing from other origins, no inline script, and no framing. */
const basePolicy: Directives = {
  'default-src': ["'none'"],
  'script-src': ["'self'"],
  'style-src': ["'self'"],
  'img-src': ["'self'", 'data:'],
  'font-src': ["'self'"],
  'connect-src': ["'self'"],
  'base-uri': ["'none'"],
  'form-action': ["'none'"],
  'frame-ancestors': ["'none'"],
};

/** What a page needs beyond the base policy, and why. */
const exceptions: Readonly<Partial<Record<PageName, (options: PolicyOptions) => Directives>>> = {
  // The launcher frames registered games only, and shows their images.
  play: ({ gameUrls, gameImages }) => ({
    'frame-src': frameSources(gameUrls),
    'img-src': ["'self'", 'data:', ...imageSources(gameImages)],
  }),
  // The launcher of this server frames it.
  'demo-game': () => ({ 'frame-ancestors': ["'self'"] }),
};

/** The value of a page's Content-Security-Policy header. */
export function contentSecurityPolicy(page: PageName | null, options: PolicyOptions): string {
  const directives = { ...basePolicy, ...(page === null ? {} : exceptions[page]?.(options)) };
  return Object.entries(directives)
    .map(([name, values]) => `${name} ${values.join(' ')}`)
    .join('; ');
}

/**
 * The most characters of these sources: proxies accept a few kilobytes of headers, nginx 4 KB by default, and answer with
 * an error otherwise. With more games, any address is allowed: the page frames games only, and shows no other pictures.
 */
const maxFrames = 2_000;
const maxImages = 800;
const anywhere = ['https:', 'http:'];

/** Whole origins, since a game may navigate between its own pages. */
function frameSources(gameUrls: readonly string[]): string[] {
  const origins = gameUrls.flatMap((url) => {
    if (url === '') return [];
    return url.startsWith('/') ? ["'self'"] : (URL.parse(url)?.origin ?? []);
  });
  const sources = [...new Set(origins)];
  if (sources.length === 0) return ["'none'"];
  return sources.join(' ').length <= maxFrames ? sources : ["'self'", ...anywhere];
}

/** Only the images themselves, not their whole origins; images on this server are always allowed. */
function imageSources(gameImages: readonly string[]): string[] {
  const addresses = gameImages.flatMap((image) => {
    const url = image.startsWith('/') ? null : URL.parse(image);
    // A CSP source must not contain a query or the separators `;` and `,`.
    return url ? [`${url.origin}${url.pathname.replaceAll(';', '%3B').replaceAll(',', '%2C')}`] : [];
  });
  const sources = [...new Set(addresses)];
  return sources.join(' ').length <= maxImages ? sources : anywhere;
}
