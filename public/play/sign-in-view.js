import { html } from 'htm/preact';
import { useEffect, useState } from 'preact/hooks';
import { post } from '../shared/api.js';
import { Button } from '../shared/button.js';
import { Icon } from '../shared/icon.js';
import { Mark } from '../shared/site-header.js';
import { Empty, ErrorState, Loading, messageOf } from '../shared/states.js';
import { signIn } from './sign-in.js';
import { signerOfWallet, watchWallets } from './wallets.js';

/** The demo's game. Where it exists, players may sign in as guests, without a wallet. */
const demoSlug = 'demo-game';

/**
 * The sign-in form.
 * @param {{
 *   notice: { title: string, text: string } | null,
 *   onSignedIn: (player: import('./kept.js').KeptPlayer) => void,
 * }} props `notice` says why the previous session ended
 */
export function SignInView({ notice, onSignedIn }) {
  const [wallets, setWallets] = useState(/** @type {import('./wallets.js').Wallet[]} */ ([]));
  const [options, setOptions] = useState(/** @type {SignInOptions | null} */ (null));
  const [loadError, setLoadError] = useState(/** @type {unknown} */ (null));
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
  const signInWith = async (who, findSigner) => {
    if (!options?.launcherId) return;
    setBusy(who);
    setProblem('');
    try {
      const launcherJwt = await signIn(options.launcherId, await findSigner());
      onSignedIn({ launcherJwt, guest: who === 'guest' });
    } catch (error) {
      setProblem(messageOf(error));
      setBusy('');
    }
  };
  const asGuest = async () => (await import('./guest-key.js')).newGuest();

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
                          <${Button}
                            kind=${wallets.length === 0 ? 'primary' : ''}
                            wide
                            busy=${busy === 'guest'}
                            disabled=${busy !== ''}
                            onClick=${() => signInWith('guest', asGuest)}
                          >
                            <${Icon} name="key" />
                            Play as a guest
                          <//>
                          <p class="quiet small">
                            A guest wallet exists only in this tab. Two windows are two players.
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
  const [launchers, demo] = await Promise.all([
    post('/launcher/get-games', { kind: 'launcher', limit: 1 }),
    post('/launcher/get-games', { slug: demoSlug, limit: 1 }),
  ]);
  return { launcherId: launchers.data[0]?.gameId ?? null, guests: demo.total > 0 };
}
