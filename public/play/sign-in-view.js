import { html } from 'htm/preact';
import { useEffect, useState } from 'preact/hooks';
import { post } from '../shared/api.js';
import { Button } from '../shared/button.js';
import { Icon } from '../shared/icon.js';
import { Mark } from '../shared/site-header.js';
import { Empty, ErrorState, Loading, messageOf } from '../shared/states.js';
import { signIn } from './sign-in.js';
import { signerOfWallet, watchWallets } from './wallets.js';

/** The game that is there when the server made its demo: who tries it out may come without a wallet. */
const demoSlug = 'demo-game';

/**
 * Asks who plays.
 * @param {{
 *   farewell: { title: string, text: string } | null,
 *   onSignedIn: (player: import('./kept.js').KeptPlayer) => void,
 * }} props `farewell` says why the session before is over
 */
export function SignInView({ farewell, onSignedIn }) {
  const [wallets, setWallets] = useState(/** @type {import('./wallets.js').Wallet[]} */ ([]));
  const [entrance, setEntrance] = useState(/** @type {Entrance | null} */ (null));
  const [loadError, setLoadError] = useState(/** @type {unknown} */ (null));
  const [busy, setBusy] = useState('');
  const [problem, setProblem] = useState('');

  useEffect(() => watchWallets(setWallets), []);
  const load = () => {
    setLoadError(null);
    findEntrance().then(setEntrance, setLoadError);
  };
  useEffect(load, []);

  /**
   * @param {string} who
   * @param {() => Promise<import('./sign-in.js').Signer>} findSigner
   */
  const enter = async (who, findSigner) => {
    if (!entrance?.launcherId) return;
    setBusy(who);
    setProblem('');
    try {
      const launcherJwt = await signIn(entrance.launcherId, await findSigner());
      onSignedIn({ launcherJwt, guest: who === 'guest' });
    } catch (error) {
      setProblem(messageOf(error));
      setBusy('');
    }
  };
  const asGuest = async () => (await import('./guest-key.js')).newGuest();

  return html`
    <main class="entrance">
      <div class="entrance-card card">
        <div class="entrance-head">
          <${Mark} />
          <h1>Sign in to play</h1>
          <p class="quiet">One sign-in for every game here. Your wallet signs a short text; it costs nothing and moves nothing.</p>
        </div>
        ${
          farewell &&
          html`
            <div class="banner warn" role="alert">
              <div><strong>${farewell.title}</strong><br />${farewell.text}</div>
            </div>
          `
        }
        ${
          loadError !== null
            ? html`<${ErrorState} error=${loadError} title="The launcher cannot be opened" onRetry=${load} />`
            : entrance === null
              ? html`<${Loading} label="Looking for the launcher" />`
              : entrance.launcherId === null
                ? html`
                    <${Empty} icon="game" title="This server has no launcher yet">
                      <p>Its operator adds one with <code>gantry game create --name Launcher --kind launcher</code>.</p>
                    <//>
                  `
                : html`
                    <div class="entrance-ways">
                      ${wallets.map(
                        (wallet) => html`
                          <${Button}
                            key=${wallet.id}
                            kind="primary"
                            wide
                            busy=${busy === wallet.id}
                            disabled=${busy !== ''}
                            onClick=${() => enter(wallet.id, () => signerOfWallet(wallet.provider))}
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
                            <span>No wallet was found in this browser. With one installed, its button shows here.</span>
                          </p>
                        `
                      }
                      ${
                        entrance.guests &&
                        html`
                          <${Button}
                            kind=${wallets.length === 0 ? 'primary' : ''}
                            wide
                            busy=${busy === 'guest'}
                            disabled=${busy !== ''}
                            onClick=${() => enter('guest', asGuest)}
                          >
                            <${Icon} name="key" />
                            Play as a guest
                          <//>
                          <p class="quiet small">
                            A guest's wallet is made in this tab and forgotten with it. Two windows side by side are two players.
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

/** @typedef {{ launcherId: string | null, guests: boolean }} Entrance */

/** @returns {Promise<Entrance>} which launcher to sign in to, and whether guests are welcome */
async function findEntrance() {
  const [launchers, demo] = await Promise.all([
    post('/launcher/get-games', { kind: 'launcher', limit: 1 }),
    post('/launcher/get-games', { slug: demoSlug, limit: 1 }),
  ]);
  return { launcherId: launchers.data[0]?.gameId ?? null, guests: demo.total > 0 };
}
