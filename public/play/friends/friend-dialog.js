import { html } from 'htm/preact';
import { useEffect, useId, useState } from 'preact/hooks';
import { Address } from '../../shared/address.js';
import { Avatar } from '../../shared/avatar.js';
import { Button } from '../../shared/button.js';
import { Dialog } from '../../shared/dialog.js';
import { Icon } from '../../shared/icon.js';
import { toast, toastError } from '../../shared/toasts.js';
import { JoinOrInvite } from './friend-row.js';
import { dotOf, PresenceLine } from './presence-line.js';
import { useAction } from './use-action.js';

const maxNoteLength = 100;

/**
 * Everything that can be done about a friend.
 * @param {import('./friends-panel.js').WithFriends & { wallet: string, onClose: () => void }} props
 */
export function FriendDialog({ launcher, friends, wallet, onTalkTo, onClose }) {
  const { players } = launcher;
  const friend = friends.friend(wallet);
  const noteId = useId();
  const [note, setNote] = useState(friend?.note ?? '');
  const [confirming, setConfirming] = useState(/** @type {'remove' | 'block' | null} */ (null));
  const { busy, problem, run } = useAction();
  const isFriend = friend !== undefined;
  // The friendship may end on another device, or by the friend.
  useEffect(() => {
    if (!isFriend) onClose();
  }, [isFriend]);
  if (!friend) return null;
  const { username: name, favorite } = friend;
  /** @param {Event} event */
  const saveNote = async (event) => {
    event.preventDefault();
    if (await run('note', () => friends.update(wallet, { note: note.trim() })))
      toast('Note saved', 'success');
  };
  const end = async () => {
    const isBlock = confirming === 'block';
    const isDone = await run('end', () => (isBlock ? friends.block(wallet) : friends.remove(wallet)));
    if (!isDone) return;
    toast(isBlock ? `${name} blocked` : `${name} removed from your friends`, 'success');
    onClose();
  };
  const talk = () => {
    onClose();
    onTalkTo([wallet]).catch(toastError);
  };
  const question =
    confirming === 'block'
      ? `Block ${name} in every game? This also ends the friendship. ${name} is not notified.`
      : `Remove ${name} from your friends? ${name} is not notified.`;
  return html`
    <${Dialog}
      title=${name}
      onClose=${onClose}
      actions=${
        confirming
          ? html`
              <span class="leave-question">${question}</span>
              <${Button} onClick=${() => setConfirming(null)}>Cancel<//>
              <${Button} kind="danger" busy=${busy === 'end'} onClick=${end}>${confirming === 'block' ? 'Block' : 'Remove'}<//>
            `
          : html`
              <${Button} kind="plain" onClick=${() => setConfirming('remove')}>Remove<//>
              <${Button} kind="plain" onClick=${() => setConfirming('block')}>Block<//>
              <${Button} onClick=${onClose}>Done<//>
            `
      }
    >
      <div class="friend">
        <${Avatar} wallet=${wallet} url=${players.avatar(wallet)} present=${dotOf(friend)} />
        <div class="friend-text">
          <${PresenceLine} friend=${friend} />
          <${Address} wallet=${wallet} />
        </div>
      </div>
      <div class="friend-answers">
        <${JoinOrInvite} launcher=${launcher} friends=${friends} friend=${friend} onDone=${onClose} />
        <${Button} size="small" onClick=${talk}><${Icon} name="chat" />Message<//>
        <${Button} size="small" aria-pressed=${favorite ? 'true' : 'false'} busy=${busy === 'favorite'} onClick=${() => run('favorite', () => friends.update(wallet, { favorite: !favorite }))}>
          <span aria-hidden="true">${favorite ? '★' : '☆'}</span>Favorite
        <//>
      </div>
      <form class="field" onSubmit=${saveNote}>
        <label for=${noteId}>Note</label>
        <div class="field-row">
          <input
            id=${noteId}
            class="input"
            type="text"
            maxlength=${maxNoteLength}
            autocomplete="off"
            value=${note}
            onInput=${(/** @type {Event} */ event) => setNote(/** @type {HTMLInputElement} */ (event.currentTarget).value)}
          />
          <${Button} type="submit" busy=${busy === 'note'} disabled=${note.trim() === friend.note}>Save<//>
        </div>
        <p class="hint">Only you see it.</p>
      </form>
      ${problem && html`<p class="banner bad" role="alert">${problem}</p>`}
    <//>
  `;
}
