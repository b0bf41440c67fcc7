import { html } from 'htm/preact';
import { useEffect, useState } from 'preact/hooks';
import { Button } from '../../shared/button.js';
import { Dialog } from '../../shared/dialog.js';
import { ErrorState, LoadingRows } from '../../shared/states.js';
import { toast } from '../../shared/toasts.js';
import { useAction } from './use-action.js';

/** @typedef {import('gantry-client').OperationOutput<'getPrivacy'>['privacy']} PrivacySettings */

/** @type {readonly { field: 'requests' | 'presence' | 'invites', label: string, options: readonly (readonly [value: string, label: string])[] }[]} */
const choices = [
  {
    field: 'requests',
    label: 'Who can send you friend requests',
    options: [
      ['everyone', 'Everyone'],
      ['code', 'Only players with your friend code'],
      ['nobody', 'Nobody'],
    ],
  },
  {
    field: 'presence',
    label: 'Who can see that you are online',
    options: [
      ['friends', 'Friends'],
      ['nobody', 'Nobody'],
    ],
  },
  {
    field: 'invites',
    label: 'Who can invite you to games',
    options: [
      ['friends', 'Friends'],
      ['nobody', 'Nobody'],
    ],
  },
];

/** @type {readonly (readonly [field: 'showGame' | 'searchable' | 'showPlaytime', label: string])[]} */
const switches = [
  ['showGame', 'Friends see which game you are playing'],
  ['showPlaytime', 'Friends see how long you have played'],
  ['searchable', 'Other players can find you by your name'],
];

/**
 * What the player lets others know and do.
 * @param {{ friends: import('./friends.js').Friends, onClose: () => void }} props
 */
export function Privacy({ friends, onClose }) {
  const [privacy, setPrivacy] = useState(/** @type {PrivacySettings | null} */ (null));
  const { busy, problem, run } = useAction();
  const load = () => run('load', async () => setPrivacy(await friends.privacy()));
  useEffect(() => {
    load();
  }, []);
  const save = async () => {
    if (privacy === null || !(await run('save', () => friends.setPrivacy(privacy)))) return;
    toast('Privacy saved', 'success');
    onClose();
  };
  /** @param {Partial<PrivacySettings>} changes */
  const change = (changes) => setPrivacy((before) => before && { ...before, ...changes });
  return html`
    <${Dialog}
      title="Privacy"
      onClose=${onClose}
      actions=${html`
        <${Button} onClick=${onClose}>Cancel<//>
        <${Button} kind="primary" disabled=${privacy === null} busy=${busy === 'save'} onClick=${save}>Save<//>
      `}
    >
      ${
        privacy === null
          ? problem
            ? html`<${ErrorState} error=${problem} title="Could not load your privacy settings" onRetry=${load} />`
            : html`<${LoadingRows} label="Loading your privacy" />`
          : html`
              ${choices.map(
                ({ field, label, options }) => html`
                  <div key=${field} class="field">
                    <label for="privacy-${field}">${label}</label>
                    <select
                      id="privacy-${field}"
                      class="input"
                      onChange=${(/** @type {Event} */ event) => change({ [field]: /** @type {HTMLSelectElement} */ (event.currentTarget).value })}
                    >
                      ${options.map(([value, name]) => html`<option key=${value} value=${value} selected=${privacy[field] === value}>${name}</option>`)}
                    </select>
                  </div>
                `,
              )}
              <div>
                ${switches.map(
                  ([field, label]) => html`
                    <label key=${field} class="person">
                      <input
                        type="checkbox"
                        checked=${privacy[field]}
                        onChange=${(/** @type {Event} */ event) => change({ [field]: /** @type {HTMLInputElement} */ (event.currentTarget).checked })}
                      />
                      <span>${label}</span>
                    </label>
                  `,
                )}
              </div>
              ${problem && html`<p class="banner bad" role="alert">${problem}</p>`}
            `
      }
    <//>
  `;
}
