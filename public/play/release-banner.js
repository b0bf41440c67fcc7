import { html } from 'htm/preact';
import { Button } from '../shared/button.js';
import { Icon } from '../shared/icon.js';

/**
 * A release that was published while the game is open.
 * @param {{ launcher: import('./launcher.js').Launcher, current: import('./open-game.js').OpenGame }} props
 */
export function ReleaseBanner({ launcher, current }) {
  const { release, frameUrl, game } = current;
  if (release === null) return null;
  const { version, url, required: isRequired } = release;
  const address = url === '' ? null : URL.parse(url, location.href);
  return html`
    <div class="banner release ${isRequired ? 'warn' : ''}" role="status">
      <${Icon} name="download" />
      <span>
        <strong>${isRequired ? `Version ${version} of ${game.name} is required.` : `Version ${version} of ${game.name} is out.`}</strong>
      </span>
      <span class="release-actions">
        ${frameUrl !== null && html`<${Button} size="small" kind="primary" onClick=${() => current.reload()}>Reload the game<//>`}
        ${address && /^https?:$/.test(address.protocol) && html`<a class="button small" href=${address.href} target="_blank" rel="noopener noreferrer">Get it</a>`}
        <${Button} size="small" onClick=${() => launcher.showAbout(game)}>What is new<//>
        ${!isRequired && html`<${Button} size="small" kind="plain" iconOnly label="Not now" onClick=${() => current.dismissRelease()}><${Icon} name="close" /><//>`}
      </span>
    </div>
  `;
}
