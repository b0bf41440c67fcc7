/**
 * A wallet in this browser (EIP-1193).
 * @typedef {{ request(call: { method: string, params?: readonly unknown[] }): Promise<any> }} Provider
 * @typedef {{ id: string, name: string, icon: string | undefined, provider: Provider }} Wallet
 * @typedef {{ info: { uuid: string, name: string, icon: string }, provider: Provider }} Announced
 */

/** EIP-1193: the user rejected the request. */
const userRejected = 4001;
/** EIP-1474, as wallets use it: another request is still pending in the wallet. */
const requestPending = -32002;

/**
 * Discovers wallets by EIP-6963, or else by `window.ethereum`, and calls the listener with all of them, again whenever
 * another one announces itself. Returns an unsubscribe function.
 * @param {(wallets: Wallet[]) => void} listener
 * @returns {() => void}
 */
export function watchWallets(listener) {
  /** @type {Map<string, Wallet>} */
  const found = new Map();
  const notify = () => listener([...found.values()]);
  /** @param {Event} event */
  const announced = (event) => {
    const { info, provider } = /** @type {CustomEvent<Announced>} */ (event).detail;
    // Only data URLs are allowed as icons, so that nothing is fetched from other servers.
    const icon = info.icon.startsWith('data:image/') ? info.icon : undefined;
    found.set(info.uuid, { id: info.uuid, name: info.name, icon, provider });
    notify();
  };
  addEventListener('eip6963:announceProvider', announced);
  dispatchEvent(new Event('eip6963:requestProvider'));
  const provider = /** @type {{ ethereum?: Provider }} */ (window).ethereum;
  if (found.size === 0 && provider) {
    found.set('window.ethereum', {
      id: 'window.ethereum',
      name: 'Browser wallet',
      icon: undefined,
      provider,
    });
  }
  notify();
  return () => removeEventListener('eip6963:announceProvider', announced);
}

/**
 * Connects a wallet for signing in; for a contract wallet, also determines the chain on which to verify signatures.
 * @param {Provider} provider
 * @returns {Promise<import('./sign-in.js').Signer>}
 * @throws {Error} with a message for people, when the wallet rejects or fails
 */
export async function signerOfWallet(provider) {
  const [wallet] = await withReadableErrors(provider.request({ method: 'eth_requestAccounts' }));
  if (typeof wallet !== 'string')
    throw new Error('The wallet returned no account. Select one and try again.');
  return {
    wallet,
    chainId: await chainOfContract(provider, wallet),
    sign: (text) =>
      withReadableErrors(provider.request({ method: 'personal_sign', params: [hexOf(text), wallet] })),
  };
}

/**
 * Signatures of a contract wallet are verified on its chain. A wallet with its own key needs none, even when it
 * delegates to code by EIP-7702.
 * @param {Provider} provider
 * @param {string} wallet
 */
async function chainOfContract(provider, wallet) {
  const code = await provider
    .request({ method: 'eth_getCode', params: [wallet, 'latest'] })
    .catch(() => '0x');
  if (typeof code !== 'string' || code === '0x' || code.startsWith('0xef0100')) return undefined;
  return Number(await provider.request({ method: 'eth_chainId' }));
}

/** @param {string} text */
function hexOf(text) {
  const bytes = [...new TextEncoder().encode(text)];
  return `0x${bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

/**
 * @template Result
 * @param {Promise<Result>} request
 * @returns {Promise<Result>}
 */
async function withReadableErrors(request) {
  try {
    return await request;
  } catch (error) {
    const { code, message } = /** @type {{ code?: number, message?: string }} */ (error ?? {});
    if (code === userRejected) throw new Error('Request rejected in the wallet. Nothing was signed.');
    if (code === requestPending)
      throw new Error('The wallet has a pending request. Open it and respond to that first.');
    throw new Error(`Wallet request failed: ${message ?? 'unknown error'}`);
  }
}
