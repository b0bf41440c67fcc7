import { html } from 'htm/preact';
import { linesOf, problemAtLine, TextField } from './fields.js';

const hint =
  "Origins whose pages may call the API for this game, one per line, such as https://game.example or https://*.game.example; this server's own pages always may. Empty: any.";

/**
 * The origins whose pages may call the API for a game, with a warning instead of the hint when the game's own page is none
 * of them: below both, it could be out of sight in a dialog.
 * @param {{ value: string, onValue: (value: string) => void, url: string, error: unknown }} props
 */
export function OriginsField({ value, onValue, url, error }) {
  const missing = missingOrigin(url, linesOf(value));
  return html`
    <${TextField} label="Allowed origins" rows=${3} mono value=${value} onValue=${onValue} problem=${problemAtLine(error, 'allowedOrigins', value)} hint=${missing ? undefined : hint} />
    ${missing && html`<p class="banner warn" role="status"><span>The game's own page would be refused: its URL has the origin ${missing}, which is not in the list. Add it as a line of its own.</span></p>`}
  `;
}

/**
 * The origin of a game's URL if its pages would be refused; otherwise null. As the server, see `admitsOrigin`.
 * @param {string} url @param {readonly string[]} allowed
 */
function missingOrigin(url, allowed) {
  if (allowed.length === 0 || url.trim() === '') return null;
  const origin = URL.parse(url.trim(), location.href)?.origin;
  if (origin === undefined || origin === location.origin) return null;
  const wildcard = origin.replace(/^(https?:\/\/)[\w-]+(?=\.)/, '$1*');
  return allowed.some((one) => [origin, wildcard].includes(one.replace(/\/$/, ''))) ? null : origin;
}
