import { html, render } from 'htm/preact';
import { useEffect, useState } from 'preact/hooks';
import { get } from '../shared/api.js';
import { Icon } from '../shared/icon.js';
import { ThemeToggle } from '../shared/theme-toggle.js';

/** How often the server's health is polled, in milliseconds. */
const pollIntervalMs = 5_000;

/** @typedef {{ kind: 'good' | 'warn' | 'bad', title: string, text: string }} Health */

/** The server's health, refreshed periodically. */
function HealthCard() {
  const [health, setHealth] = useState(/** @type {Health | null} */ (null));
  useEffect(() => {
    const refresh = () => {
      if (document.visibilityState === 'visible') fetchHealth().then(setHealth);
    };
    refresh();
    const timer = setInterval(refresh, pollIntervalMs);
    return () => clearInterval(timer);
  }, []);
  const { kind, title, text } = health ?? {
    kind: 'info',
    title: 'Checking…',
    text: 'Loading the server status.',
  };
  return html`
    <p class="health-line" role="status">
      <span class="badge ${kind} ${health ? '' : 'busy'}">${title}</span>
      <span class="quiet">${text}</span>
      <span class="health-host mono small">${location.host}</span>
    </p>
    ${kind === 'bad' && html`<p class="health-hint small"><${Icon} name="offline" />Retrying automatically.</p>`}
  `;
}

/** @returns {Promise<Health>} */
async function fetchHealth() {
  try {
    const { status, reason } = await get('/readyz');
    return status === 'ready'
      ? { kind: 'good', title: 'Healthy', text: 'Accepting calls and delivering events.' }
      : { kind: 'warn', title: 'Degraded', text: `Accepting calls, but:  ${reason}.` };
  } catch (error) {
    const { code, message } = /** @type {import('../shared/api.js').ApiError} */ (error);
    if (code !== 0) return { kind: 'bad', title: 'Not ready', text: message };
    return { kind: 'bad', title: 'Unreachable', text: 'It may be restarting, or you may be offline.' };
  }
}

const health = document.getElementById('health');
if (health) render(html`<${HealthCard} />`, health);
const corner = document.getElementById('corner');
if (corner) render(html`<${ThemeToggle} />`, corner);
