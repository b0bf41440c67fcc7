import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { Button } from '../shared/button.js';
import { Dialog } from '../shared/dialog.js';
import { reportReasons } from '../shared/report-reasons.js';
import { messageOf } from '../shared/states.js';
import { toast } from '../shared/toasts.js';

/** @typedef {import('../shared/report-reasons.js').ReportReason} ReportReason */

/** @type {readonly (readonly [seconds: number, label: string])[]} */
const muteTimes = [
  [3_600, '1 hour'],
  [86_400, '1 day'],
  [604_800, '7 days'],
];

const maxCommentLength = 1_000;

/**
 * Actions on another player: report them or one of their messages, block them, and, for admins of the conversation,
 * mute them in it.
 * @param {import('./messages.js').InGame & {
 *   wallet: string,
 *   message?: import('./conversation-state.js').Message | undefined,
 *   canMute: boolean,
 *   onClose: () => void,
 * }} props
 */
export function PlayerActions({ launcher, current, wallet, message, canMute, onClose }) {
  const { conversations, blocked } = current;
  const name = launcher.players.name(wallet);
  const [about, setAbout] = useState(message === undefined ? 'player' : 'message');
  const [reason, setReason] = useState(/** @type {ReportReason} */ ('spam'));
  const [comment, setComment] = useState('');
  const [seconds, setSeconds] = useState(String(muteTimes[0]?.[0]));
  const [busy, setBusy] = useState('');
  const [problem, setProblem] = useState('');
  const isBlocked = blocked.has(wallet);
  /**
   * @param {string} what
   * @param {() => Promise<void>} act
   * @param {string} done
   */
  const run = async (what, act, done) => {
    setBusy(what);
    setProblem('');
    try {
      await act();
      toast(done, 'success');
      onClose();
    } catch (error) {
      setProblem(messageOf(error));
      setBusy('');
    }
  };
  /** @param {Event} event */
  const report = (event) => {
    event.preventDefault();
    const subject = about === 'message' && message ? { messageId: message._id } : { wallet };
    run(
      'report',
      () => conversations.report(subject, { reason, comment: comment.trim() }),
      'Reported to the moderators. Thank you.',
    );
  };
  const toggleBlock = () => (isBlocked ? blocked.unblock(wallet) : blocked.block(wallet));
  /** @param {number} forSeconds */
  const mute = (forSeconds) =>
    run(
      forSeconds === 0 ? 'unmute' : 'mute',
      () => conversations.mute({ wallet, seconds: forSeconds, reason: '' }),
      forSeconds === 0 ? `${name} is no longer muted` : `${name} is muted`,
    );
  return html`
    <${Dialog} title=${name} onClose=${onClose} actions=${html`<${Button} onClick=${onClose}>Close<//>`}>
      ${problem && html`<p class="banner bad" role="alert">${problem}</p>`}
      <section class="player-action">
        <h3>${isBlocked ? 'Blocked' : 'Block'}</h3>
        <p class="quiet small">${isBlocked ? 'Messages from this player are hidden. They appear again once you unblock the player.' : 'Hides all messages from this player in every game. The player is not notified.'}</p>
        <${Button} busy=${busy === 'block'} onClick=${() => run('block', toggleBlock, isBlocked ? `${name} unblocked` : `${name} blocked`)}>${isBlocked ? 'Unblock' : 'Block'} ${name}<//>
      </section>
      ${
        canMute &&
        html`
          <section class="player-action">
            <h3>Mute in this conversation</h3>
            <p class="quiet small">A muted player can read, but not write until the mute ends.</p>
            <div class="field-row">
              <select class="input" aria-label="Mute for" value=${seconds} onChange=${(/** @type {Event} */ event) => setSeconds(/** @type {HTMLSelectElement} */ (event.currentTarget).value)}>
                ${muteTimes.map(([value, label]) => html`<option key=${value} value=${value} selected=${String(value) === seconds}>${label}</option>`)}
              </select>
              <${Button} busy=${busy === 'mute'} onClick=${() => mute(Number(seconds))}>Mute<//>
              <${Button} kind="plain" busy=${busy === 'unmute'} onClick=${() => mute(0)}>End mute<//>
            </div>
          </section>
        `
      }
      <form class="player-action" onSubmit=${report}>
        <h3>Report to the moderators</h3>
        ${
          message !== undefined &&
          html`
            <blockquote class="quoted">${message.content}</blockquote>
            <div class="field">
              <label for="report-about">Subject</label>
              <select id="report-about" class="input" value=${about} onChange=${(/** @type {Event} */ event) => setAbout(/** @type {HTMLSelectElement} */ (event.currentTarget).value)}>
                <option value="message" selected=${about === 'message'}>This message</option>
                <option value="player" selected=${about === 'player'}>The player</option>
              </select>
            </div>
          `
        }
        <div class="field">
          <label for="report-reason">Reason</label>
          <select id="report-reason" class="input" value=${reason} onChange=${(/** @type {Event} */ event) => setReason(/** @type {ReportReason} */ (/** @type {HTMLSelectElement} */ (event.currentTarget).value))}>
            ${Object.entries(reportReasons).map(([value, label]) => html`<option key=${value} value=${value} selected=${value === reason}>${label}</option>`)}
          </select>
        </div>
        <div class="field">
          <label for="report-comment">Comment (optional)</label>
          <textarea id="report-comment" class="input" rows="2" maxlength=${maxCommentLength} value=${comment} onInput=${(/** @type {Event} */ event) => setComment(/** @type {HTMLTextAreaElement} */ (event.currentTarget).value)}></textarea>
        </div>
        <${Button} type="submit" kind="primary" busy=${busy === 'report'}>Report<//>
      </form>
    <//>
  `;
}
