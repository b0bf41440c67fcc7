import { defaultName } from 'gantry-names';
import { html } from 'htm/preact';
import { useEffect, useState } from 'preact/hooks';
import { post } from '../shared/api.js';
import { Button } from '../shared/button.js';
import { Icon } from '../shared/icon.js';
import { Mark } from '../shared/site-header.js';
import { Empty, ErrorState, Loading } from '../shared/states.js';
import { signInProblem } from './session-end.js';
import { signIn } from './sign-in.js';
import { forgetDevice, storeDevice, storedDevices } from './stored-session.js';
import { signerOfWallet, watchWallets } from './wallets.js';

/**
 * The sign-in form.
 * @param {{
 *   notice: { title: string, text: string } | null,
 *   onSignedIn: (player: import('./stored-session.js').StoredPlayer) => void,
 * }} props `notice` says why the previous session ended
 */
export function SignInView({ notice, onSignedIn }) {
  const [wallets, setWallets] = useState(/** @type {import('./wallets.js').Wallet[]} */ ([]));
  const [options, setOptions] = useState(/** @type {SignInOptions | null} */ (null));
  const [loadError, setLoadError] = useState(/** @type {unknown} */ (null));
  const [devices, setDevices] = useState(storedDevices);
  const [busy, setBusy] = useState('');
  const [problem, setProblem] = useState('');

  useEffect(() => watchWallets(setWallets), []);
  const load = () => {
    setLoadError(null);
    loadSignInOptions().then(setOptions, setLoadError);
  };
  useEffect(load, []);

  /**
   * @param {string} who
   * @param {() => Promise<import('./sign-in.js').Signer>} findSigner
   */
  const signInWith = (who, findSigner) =>
    attempt(who, async (launcherId) => ({
      launcherJwt: await signIn(launcherId, await findSigner()),
      guest: false,
    }));

  const signInAsNewGuest = () =>
    attempt('guest', async (gameId) => {
      const deviceName = 'Browser';
      const { wallet, deviceSecret, launcherJwt } = await post('/launcher/create-guest', {
        gameId,
        deviceName,
      });
      storeDevice({ wallet, deviceSecret });
      return { launcherJwt, guest: true };
    });

  /** @param {import('./stored-session.js').StoredDevice} device */
  const signInAsStoredGuest = (device) => {
    const { wallet, deviceSecret } = device;
    return attempt(wallet, async (gameId) => {
      try {
        const { launcherJwt } = await post('/launcher/sign-in-guest', { gameId, deviceSecret });
        storeDevice(device);
        return { launcherJwt, guest: true };
      } catch (error) {
        if (isDeviceInvalid(error)) {
          forgetDevice(wallet);
          setDevices(storedDevices());
        }
        throw error;
      }
    });
  };

  /**
   * @param {string} who
   * @param {(launcherId: string) => Promise<import('./stored-session.js').StoredPlayer>} enter
   */
  const attempt = async (who, enter) => {
    if (!options?.launcherId) return;
    setBusy(who);
    setProblem('');
    try {
      onSignedIn(await enter(options.launcherId));
    } catch (error) {
      setProblem(signInProblem(error));
      setBusy('');
    }
  };

  return html`
    <main class="sign-in">
      <div class="sign-in-card card">
        <div class="sign-in-head">
          <${Mark} />
          <h1>Sign in to play</h1>
          <p class="quiet">Sign in once for all games. Your wallet signs a short message; this is free and sends no transaction.</p>
        </div>
        ${
          notice &&
          html`
            <div class="banner warn" role="alert">
              <div><strong>${notice.title}</strong><br />${notice.text}</div>
            </div>
          `
        }
        ${
          loadError !== null
            ? html`<${ErrorState} error=${loadError} title="Could not load the sign-in options" onRetry=${load} />`
            : options === null
              ? html`<${Loading} label="Loading sign-in options" />`
              : options.launcherId === null
                ? html`
                    <${Empty} icon="game" title="This server has no launcher yet">
                      <p>The operator of this server adds one with <code>gantry game create --name Launcher --kind launcher</code>.</p>
                    <//>
                  `
                : html`
                    <div class="sign-in-ways">
                      ${wallets.map(
                        (wallet) => html`
                          <${Button}
                            key=${wallet.id}
                            kind="primary"
                            wide
                            busy=${busy === wallet.id}
                            disabled=${busy !== ''}
                            onClick=${() => signInWith(wallet.id, () => signerOfWallet(wallet.provider))}
                          >
                            ${wallet.icon ? html`<img src=${wallet.icon} alt="" width="20" height="20" />` : html`<${Icon} name="wallet" />`}
                            Sign in with ${wallet.name}
                          <//>
                        `,
                      )}
                      ${
                        wallets.length === 0 &&
                        html`
                          <p class="no-wallet quiet">
                            <${Icon} name="wallet" />
                            <span>No wallet found in this browser. Install one to sign in with it.</span>
                          </p>
                        `
                      }
                      ${
                        options.guests &&
                        html`
                          ${devices.map(
                            (device) => html`
                              <${Button}
                                key=${device.wallet}
                                wide
                                busy=${busy === device.wallet}
                                disabled=${busy !== ''}
                                onClick=${() => signInAsStoredGuest(device)}
                              >
                                <${Icon} name="key" />
                                Continue as ${device.name || defaultName(device.wallet)}
                              <//>
                            `,
                          )}
                          <${Button}
                            kind=${wallets.length === 0 ? 'primary' : ''}
                            wide
                            busy=${busy === 'guest'}
                            disabled=${busy !== ''}
                            onClick=${signInAsNewGuest}
                          >
                            <${Icon} name="key" />
                            Play as a guest
                          <//>
                          <p class="quiet small">
                            A guest is a new player without a wallet, stored in this browser. Connect a wallet later to keep
                            it everywhere.
                          </p>
                        `
                      }
                      ${problem && html`<p class="banner bad" role="alert">${problem}</p>`}
                    </div>
                  `
        }
      </div>
    </main>
  `;
}

/** @typedef {{ launcherId: string | null, guests: boolean }} SignInOptions */

/** @returns {Promise<SignInOptions>} which launcher to sign in to, and whether guests are allowed */
async function loadSignInOptions() {
  const { data } = await post('/launcher/get-games', { kind: 'launcher', limit: 1 });
  return { launcherId: data[0]?.gameId ?? null, guests: data[0]?.guests === true };
}

/**
 * Whether a device secret is no longer valid.
 * @param {unknown} error
 */
function isDeviceInvalid(error) {
  const { reason } = /** @type {{ reason?: string }} */ (error ?? {});
  return reason === 'device_unknown' || reason === 'guest_upgraded';
}
