import { html, render } from 'htm/preact';
import { useEffect, useState } from 'preact/hooks';
import { get } from '../shared/api.js';
import { Icon } from '../shared/icon.js';
import { ThemeToggle } from '../shared/theme-toggle.js';

/** How often it is asked how the server is, in milliseconds. */
const askEveryMs = 5_000;

/** @typedef {{ kind: 'good' | 'warn' | 'bad', title: string, text: string }} Health */

/** How the server is, kept current. */
function HealthCard() {
  const [health, setHealth] = useState(/** @type {Health | null} */ (null));
  useEffect(() => {
    const ask = () => {
      if (document.visibilityState === 'visible') askHealth().then(setHealth);
    };
    ask();
    const timer = setInterval(ask, askEveryMs);
    return () => clearInterval(timer);
  }, []);
  const { kind, title, text } = health ?? { kind: 'info', title: 'Asking…', text: 'How is the server?' };
  return html`
    <p class="health-line" role="status">
      <span class="badge ${kind} ${health ? '' : 'busy'}">${title}</span>
      <span class="quiet">${text}</span>
      <span class="health-host mono small">${location.host}</span>
    </p>
    ${kind === 'bad' && html`<p class="health-hint small"><${Icon} name="offline" />This page asks again by itself.</p>`}
  `;
}

/** @returns {Promise<Health>} */
async function askHealth() {
  try {
    const { status, reason } = await get('/readyz');
    return status === 'ready'
      ? { kind: 'good', title: 'Healthy', text: 'Takes calls and delivers live.' }
      : { kind: 'warn', title: 'Degraded', text: `Takes calls, but: ${reason}.` };
  } catch (error) {
    const { code, message } = /** @type {import('../shared/api.js').ApiError} */ (error);
    if (code !== 0) return { kind: 'bad', title: 'Not ready', text: message };
    return { kind: 'bad', title: 'Not reachable', text: 'It may be restarting, or you may be offline.' };
  }
}

const health = document.getElementById('health');
if (health) render(html`<${HealthCard} />`, health);
const corner = document.getElementById('corner');
if (corner) render(html`<${ThemeToggle} />`, corner);
