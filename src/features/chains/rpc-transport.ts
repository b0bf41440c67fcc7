import type { Transport } from 'viem';

/** The timeout of one RPC server. */
const rpcTimeoutMs = 5_000;

/**
 * A transport to the first of these RPC servers that responds, without retries: the next server is the better second
 * attempt. viem is imported lazily: it is slow to load, and most servers never need it.
 */
export async function rpcTransport(urls: readonly string[]): Promise<Transport> {
  const { fallback, http } = await import('viem');
  const transports = urls.map((url) => {
    const { origin, pathname, search, username, password } = new URL(url);
    const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    // The rest of a provider's URL often contains a key, and viem puts the URL that it knows into its errors, which are
    // logged.
    return http(origin, {
      timeout: rpcTimeoutMs,
      retryCount: 0,
      onFetchRequest: (_request, init) => ({ ...init, url: `${origin}${pathname}${search}` }),
      ...(login !== ':' && { fetchOptions: { headers: { Authorization: `Basic ${btoa(login)}` } } }),
    });
  });
  return transports.length === 1 && transports[0] ? transports[0] : fallback(transports, { retryCount: 0 });
}
