/** How long a page that contains the game may take to answer, in milliseconds. */
const answerMs = 500;
/** The same once it has said that it will. */
const pendingMs = 15_000;

/** The token that a launcher has put into the page's address; outside of a browser, into the environment. */
export function tokenOfAddress(): string | null {
  if (typeof location === 'object') {
    const tokenIn = (text: string) => new URLSearchParams(text).get('token');
    return tokenIn(location.hash.slice(1)) ?? tokenIn(location.search);
  }
  const { process } = globalThis as { process?: { env: Record<string, string | undefined> } };
  return process?.env.GANTRY_TOKEN ?? null;
}

/** Whether another page contains this one. */
export function isFramed(): boolean {
  return typeof window === 'object' && window.parent !== window;
}

/** Asks the page that contains this one for a token; null: it has not answered, or may not according to `origins`. */
export function tokenOfParent(origins?: readonly string[]): Promise<string | null> {
  if (!isFramed()) return Promise.resolve(null);
  return new Promise((resolve) => {
    const done = (token: string | null) => {
      clearTimeout(timer);
      removeEventListener('message', listener);
      resolve(token);
    };
    const listener = ({ source, origin, data }: MessageEvent) => {
      if (source !== parent || data?.source !== 'gantry' || origins?.includes(origin) === false) return;
      if (data.type === 'GANTRY_TOKEN') done(data.launcherJwt);
      if (data.type !== 'GANTRY_TOKEN_PENDING') return;
      clearTimeout(timer);
      timer = setTimeout(done, pendingMs, null);
    };
    let timer = setTimeout(done, answerMs, null);
    addEventListener('message', listener);
    parent.postMessage({ type: 'GANTRY_TOKEN_REQUEST' }, '*'); // says nothing that a page may not know
  });
}
