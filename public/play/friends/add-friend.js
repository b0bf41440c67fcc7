import { html } from 'htm/preact';
import { useEffect, useId, useState } from 'preact/hooks';
import { Avatar } from '../../shared/avatar.js';
import { Button } from '../../shared/button.js';
import { CopyButton } from '../../shared/copy-button.js';
import { Dialog } from '../../shared/dialog.js';
import { messageOf } from '../../shared/states.js';
import { toast } from '../../shared/toasts.js';
import { useAction } from './use-action.js';

const maxMessageLength = 140;
const minSearchLength = 3;
const searchDelayMs = 300;

/**
 * Sends friend requests: by the other player's code, or to a player found by name. Shows the player's own code.
 * @param {{ launcher: import('../launcher.js').Launcher, friends: import('./friends.js').Friends, onClose: () => void }} props
 */
export function AddFriend({ launcher, friends, onClose }) {
  const { players } = launcher;
  const [codeId, nameId, messageId] = [useId(), useId(), useId()];
  const [code, setCode] = useState('');
  const [name, setName] = useState('');
  const [message, setMessage] = useState('');
  const [found, setFound] = useState(/** @type {string[] | null} */ (null));
  const [searchProblem, setSearchProblem] = useState('');
  const { busy, problem, run } = useAction();
  const query = name.trim();

  useEffect(() => {
    setSearchProblem('');
    if (query.length < minSearchLength) {
      setFound(null);
      return;
    }
    let isLatest = true;
    const timer = setTimeout(async () => {
      const now = await friends.search(query).catch((error) => {
        if (isLatest) setSearchProblem(messageOf(error));
        return null;
      });
      if (isLatest) setFound(now);
    }, searchDelayMs);
    return () => {
      isLatest = false;
      clearTimeout(timer);
    };
  }, [query]);

  /** @param {{ friendCode: string } | { wallet: string }} whom */
  const add = (whom) =>
    run('wallet' in whom ? whom.wallet : 'code', async () => {
      const state = await friends.add({ ...whom, message: message.trim() });
      if (state === 'sent') toast('Friend request sent', 'success');
      if ('friendCode' in whom) setCode('');
    });
  /** @param {Event} event */
  const addByCode = (event) => {
    event.preventDefault();
    if (code.trim()) add({ friendCode: code.trim() });
  };
  const typed = (/** @type {Event} */ event) => /** @type {HTMLInputElement} */ (event.currentTarget).value;
  return html`
    <${Dialog} title="Add friend" onClose=${onClose} actions=${html`<${Button} onClick=${onClose}>Done<//>`}>
      <form class="field" onSubmit=${addByCode}>
        <label for=${codeId}>Friend code</label>
        <div class="field-row">
          <input
            id=${codeId}
            class="input mono"
            type="text"
            autofocus
            autocomplete="off"
            autocapitalize="characters"
            spellcheck=${false}
            placeholder="XXXX-XXXX"
            value=${code}
            onInput=${(/** @type {Event} */ event) => setCode(typed(event))}
          />
          <${Button} type="submit" kind="primary" busy=${busy === 'code'} disabled=${code.trim() === ''}>Add<//>
        </div>
      </form>
      <div class="field">
        <label for=${nameId}>Or search by name</label>
        <input
          id=${nameId}
          class="input"
          type="text"
          autocomplete="off"
          spellcheck=${false}
          aria-describedby="${nameId}-found"
          value=${name}
          onInput=${(/** @type {Event} */ event) => setName(typed(event))}
        />
        <p class=${searchProblem ? 'problem' : 'hint'} id="${nameId}-found" role="status">
          ${searchProblem || (found === null ? 'At least the first 3 letters of the name.' : found.length === 0 ? `No player's name begins with “${query}”.` : `${found.length} found`)}
        </p>
        ${
          found !== null &&
          found.length > 0 &&
          html`
            <ul role="list" class="people" aria-label="Players found">
              ${found.map(
                (wallet) => html`
                  <li key=${wallet} class="friend">
                    <${Avatar} small wallet=${wallet} url=${players.avatar(wallet)} />
                    <span class="friend-text truncate">${players.name(wallet)}</span>
                    <${AddButton} state=${friends.stateOf(wallet)} name=${players.name(wallet)} busy=${busy === wallet} onAdd=${() => add({ wallet })} />
                  </li>
                `,
              )}
            </ul>
          `
        }
      </div>
      <div class="field">
        <label for=${messageId}>Message with the request (optional)</label>
        <input id=${messageId} class="input" type="text" maxlength=${maxMessageLength} value=${message} onInput=${(/** @type {Event} */ event) => setMessage(typed(event))} />
      </div>
      ${problem && html`<p class="banner bad" role="alert">${problem}</p>`}
      <${OwnCode} friends=${friends} />
    <//>
  `;
}

/**
 * @param {{ state: import('./friends.js').Friend['state'] | undefined, name: string, busy: boolean, onAdd: () => void }} props
 */
function AddButton({ state, name, busy, onAdd }) {
  if (state === 'friend' || state === 'sent') {
    return html`<span class="quiet small">${state === 'sent' ? 'Request sent' : 'Friend'}</span>`;
  }
  const label = state === 'received' ? 'Accept' : 'Add';
  return html`<${Button} size="small" busy=${busy} aria-label="${label} ${name}" onClick=${onAdd}>${label}<//>`;
}

/**
 * The player's own code, to give to others.
 * @param {{ friends: import('./friends.js').Friends }} props
 */
function OwnCode({ friends }) {
  const [code, setCode] = useState('');
  const [asks, setAsks] = useState(false);
  const { busy, problem, run } = useAction();
  useEffect(() => {
    run('load', async () => setCode(await friends.code()));
  }, []);
  const replace = () =>
    run('replace', async () => {
      setCode(await friends.replaceCode());
      setAsks(false);
      toast('You have a new friend code', 'success');
    });
  const shown = code.replace(/^(.{4})/, '$1-');
  return html`
    <section class="own-code">
      <h3>Your friend code</h3>
      <div class="own-code-line">
        <code>${shown || '…'}</code>
        ${code && html`<${CopyButton} text=${shown} label="Copy your friend code" />`}
        ${
          code &&
          (asks
            ? html`
                <span class="small">The current code will stop working.</span>
                <${Button} size="small" busy=${busy === 'replace'} onClick=${replace}>Replace<//>
                <${Button} size="small" kind="plain" onClick=${() => setAsks(false)}>Keep<//>
              `
            : html`<${Button} size="small" kind="plain" onClick=${() => setAsks(true)}>Replace…<//>`)
        }
      </div>
      ${problem && html`<p class="problem small" role="alert">${problem}</p>`}
    </section>
  `;
}
