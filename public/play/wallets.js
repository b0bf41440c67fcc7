/**
 * A wallet in this browser, by EIP-1193.
 * @typedef {{ request(call: { method: string, params?: readonly unknown[] }): Promise<any> }} Provider
 * @typedef {{ id: string, name: string, icon: string | undefined, provider: Provider }} Wallet
 * @typedef {{ info: { uuid: string, name: string, icon: string }, provider: Provider }} Announced
 */

/** EIP-1193: the user rejected the request. */
const userRejected = 4001;
/** EIP-1474, as wallets use it: another request is still pending in the wallet. */
const requestPending = -32002;

/**
 * Looks for wallets and calls the listener with those there are, again whenever there is one more: EIP-6963, and
 * `window.ethereum` where a wallet knows only that. Returns how to stop.
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
    // Its picture may only be one it brings along: nothing is fetched from elsewhere.
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
 * What signing in takes of a wallet: who it is and, for a contract's wallet, on which chain it can be asked.
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
 * A wallet that is a contract is asked on its chain; one with a key of its own needs none, also when EIP-7702
 * has lent it code.
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
 * @template Answer
 * @param {Promise<Answer>} asked
 * @returns {Promise<Answer>}
 */
async function withReadableErrors(asked) {
  try {
    return await asked;
  } catch (error) {
    const { code, message } = /** @type {{ code?: number, message?: string }} */ (error ?? {});
    if (code === userRejected) throw new Error('Request rejected in the wallet. Nothing was signed.');
    if (code === requestPending)
      throw new Error('The wallet has a pending request. Open it and respond to that first.');
    throw new Error(`Wallet request failed: ${message ?? 'unknown error'}`);
  }
}
