import { html } from 'htm/preact';
import { useId, useState } from 'preact/hooks';
import { Button } from '../shared/button.js';
import { Icon } from '../shared/icon.js';
import { useAdmin } from './admin.js';
import { FormProblem, problemAt, TextField } from './fields.js';

/** @typedef {import('./admin.js').Output<'testRules'>['actions'][number]} Verdict */

/**
 * Evaluates the rules in the editor for a player without executing anything.
 * @param {{ game: import('./game-view.js').Game, rules: import('./rules-view.js').Rules | null }} props `rules`: null
 *   while they are invalid
 */
export function DryRun({ game, rules }) {
  const admin = useAdmin();
  const triggersId = useId();
  const [wallet, setWallet] = useState('');
  const [trigger, setTrigger] = useState('');
  const [value, setValue] = useState('');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState(/** @type {unknown} */ (null));
  const [verdicts, setVerdicts] = useState(/** @type {readonly Verdict[] | null} */ (null));
  const triggers = [
    ...new Set((rules ?? []).flatMap((rule) => (typeof rule?.trigger === 'string' ? [rule.trigger] : []))),
  ];
  /** @param {Event} event */
  const run = async (event) => {
    event.preventDefault();
    if (rules === null) return;
    setBusy(true);
    setError(null);
    try {
      const { actions } = await admin.call('testRules', {
        gameId: game.gameId,
        wallet: wallet.trim(),
        trigger,
        rules,
        ...(value.trim() !== '' && { value: value.trim() }),
      });
      setVerdicts(actions);
    } catch (failed) {
      setError(failed);
      setVerdicts(null);
    }
    setBusy(false);
  };
  return html`
    <section class="card" aria-labelledby="dry-run">
      <div class="card-head"><h2 id="dry-run">Dry run</h2></div>
      <form class="card-body form" onSubmit=${run}>
        <p class="quiet small">Evaluates these rules for a player without executing anything.</p>
        <${TextField} label="Player wallet" required mono spellcheck=${false} maxlength=${60} placeholder="0x…" value=${wallet} onValue=${setWallet} problem=${problemAt(error, 'wallet')} />
        <div class="form-row">
          <${TextField} label="Trigger" required maxlength=${200} list=${triggersId} value=${trigger} onValue=${setTrigger} problem=${problemAt(error, 'trigger')} />
          <${TextField} label="Value" maxlength=${1000} value=${value} onValue=${setValue} problem=${problemAt(error, 'value')} />
        </div>
        <datalist id=${triggersId}>${triggers.map((one) => html`<option key=${one} value=${one}></option>`)}</datalist>
        <${Button} type="submit" busy=${busy} disabled=${rules === null}><${Icon} name="play" />Run<//>
        <${FormProblem} error=${error} fields=${['wallet', 'trigger', 'value']} />
        <div role="status">
          ${
            verdicts &&
            (verdicts.length === 0
              ? html`<p class="quiet">No rule matches this trigger.</p>`
              : html`
                  <ul role="list" class="verdicts">
                    ${verdicts.map(
                      ({ rule, action, type, fires, why }) => html`
                        <li key=${`${rule} ${action}`}>
                          <span class="badge ${fires ? 'good' : 'warn'}">${fires ? 'would run' : 'would not run'}</span>
                          <span><strong>${type}</strong> <span class="quiet small">rule ${rule + 1}, action ${action + 1}</span>${why && html`<br /><span class="small">${why}</span>`}</span>
                        </li>
                      `,
                    )}
                  </ul>
                `)
          }
        </div>
      </form>
    </section>
  `;
}
