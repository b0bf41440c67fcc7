/** The pages there are: `/<name>` is `public/<name>/index.html`, and `/` is `public/index.html`. */
export const pageNames = ['', 'play', 'demo-game', 'console', 'docs'] as const;
export type PageName = (typeof pageNames)[number];

/** What the policy of a page depends on beside the page. */
export interface PolicyParts {
  /** The inline script that may run: the import map's hash. */
  scriptHash: string;
  /** Addresses of the registered games, which the launcher opens in a frame; on this server, a path. */
  gameUrls: readonly string[];
}

type Directives = Record<string, readonly string[]>;

/** Nothing from elsewhere, nothing inline but what is named by its hash, and no page in anyone's frame. */
function strictest({ scriptHash }: PolicyParts): Directives {
  return {
    'default-src': ["'none'"],
    'script-src': ["'self'", scriptHash],
    'style-src': ["'self'"],
    'img-src': ["'self'", 'data:'],
    'font-src': ["'self'"],
    'connect-src': ["'self'"],
    'base-uri': ["'none'"],
    'form-action': ["'none'"],
    'frame-ancestors': ["'none'"],
  };
}

/** What a page needs beyond the strictest policy, and why. */
const exceptions: Readonly<Partial<Record<PageName, (parts: PolicyParts) => Directives>>> = {
  // The launcher opens the games that are registered, and those only.
  play: ({ gameUrls }) => ({ 'frame-src': frameSources(gameUrls) }),
  // The launcher of this server opens it in a frame.
  'demo-game': () => ({ 'frame-ancestors': ["'self'"] }),
};

/** The value of a page's Content-Security-Policy header. */
export function contentSecurityPolicy(page: PageName | null, parts: PolicyParts): string {
  const directives = { ...strictest(parts), ...(page === null ? {} : exceptions[page]?.(parts)) };
  return Object.entries(directives)
    .map(([name, values]) => `${name} ${values.join(' ')}`)
    .join('; ');
}

/** Whole origins: a game may go from page to page of its own. */
function frameSources(gameUrls: readonly string[]): string[] {
  const origins = gameUrls.flatMap((url) => {
    if (url === '') return [];
    return url.startsWith('/') ? ["'self'"] : (URL.parse(url)?.origin ?? []);
  });
  return origins.length === 0 ? ["'none'"] : [...new Set(origins)];
}
