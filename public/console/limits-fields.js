import { html } from 'htm/preact';
import { problemAt, TextField } from './fields.js';

/** @typedef {import('./game-view.js').Game['policies']['limits']} Limits */
/** @typedef {{ points: string, seconds: string }} Typed */
/** @typedef {{ read: Typed, write: Typed }} TypedLimits as typed; both empty: the server's default */

const kinds = /** @type {const} */ ([
  ['read', 'Reads'],
  ['write', 'Writes'],
]);

/** @param {Limits} limits @returns {TypedLimits} */
export function typedLimits(limits) {
  /** @param {Limits['read']} limit */
  const typed = (limit) => ({ points: String(limit?.points ?? ''), seconds: String(limit?.seconds ?? '') });
  return { read: typed(limits.read), write: typed(limits.write) };
}

/** Whether only one field of a pair is filled. @param {TypedLimits} typed */
export function isHalfTyped({ read, write }) {
  return [read, write].some(({ points, seconds }) => (points.trim() === '') !== (seconds.trim() === ''));
}

/** @param {TypedLimits} typed @returns {Limits} */
export function limitsOf(typed) {
  /** @param {Typed} one */
  const given = ({ points, seconds }) => ({ points: Number(points), seconds: Number(seconds) });
  return {
    ...(typed.read.points.trim() !== '' && { read: given(typed.read) }),
    ...(typed.write.points.trim() !== '' && { write: given(typed.write) }),
  };
}

/**
 * How often one player may call, for reads and for writes.
 * @param {{ value: TypedLimits, onValue: (value: TypedLimits) => void, error: unknown }} props
 */
export function LimitsFields({ value, onValue, error }) {
  return html`
    <fieldset class="choices one-column">
      <legend>Custom rate limits</legend>
      ${kinds.map(([kind, label]) => {
        const { points, seconds } = value[kind];
        const isHalf = (points.trim() === '') !== (seconds.trim() === '');
        const problem = isHalf
          ? 'Fill in both, or neither'
          : problemAt(error, `policies.limits.${kind}`, (inside) =>
              inside === 'points' ? 'Calls' : 'Seconds',
            );
        return html`
          <div key=${kind} class="form-row">
            <${TextField} label="${label}: calls" type="number" min="1" step="1" placeholder="server default" value=${points} problem=${problem} onValue=${(/** @type {string} */ next) => onValue({ ...value, [kind]: { points: next, seconds } })} />
            <${TextField} label="${label}: in seconds" type="number" min="1" step="1" placeholder="server default" value=${seconds} onValue=${(/** @type {string} */ next) => onValue({ ...value, [kind]: { points, seconds: next } })} />
          </div>
        `;
      })}
    </fieldset>
  `;
}
