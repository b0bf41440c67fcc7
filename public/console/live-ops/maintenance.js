import { html } from 'htm/preact';
import { useId, useState } from 'preact/hooks';
import { Button } from '../../shared/button.js';
import { Dialog } from '../../shared/dialog.js';
import { Icon } from '../../shared/icon.js';
import { minuteTime } from '../../shared/relative-time.js';
import { Empty, ErrorState, LoadingRows } from '../../shared/states.js';
import { useAdmin } from '../admin.js';
import { Allowed } from '../allowed.js';
import { TimeCell } from '../cells.js';
import { ConfirmButton } from '../confirm-button.js';
import { draftKey, useFormDraft } from '../drafts.js';
import { changedMeanwhile, isContradicted } from '../edit-conflicts.js';
import { FormProblem, problemAt, SelectField, TextField } from '../fields.js';
import { isActive, maintenanceChanges, useMaintenance } from '../maintenance-banner.js';
import { linkTo } from '../route.js';
import { localText, localZone, TimeField, timeOf } from './time-field.js';
import { useSubmit } from './use-submit.js';

/** @typedef {import('../maintenance-banner.js').Maintenance} Maintenance */

/** How long it lasts by default, in milliseconds. */
const defaultMs = 60 * 60_000;

/**
 * The maintenance of a game, or of all games.
 * @param {{ game?: import('../game-view.js').Game }} props
 */
export function MaintenanceCard({ game }) {
  const admin = useAdmin();
  const gameId = game?.gameId ?? null;
  const { maintenance, error, reload } = useMaintenance();
  const [asking, setAsking] = useState(false);
  const scope = game?.name ?? 'all games';
  const changed = () => {
    setAsking(false);
    maintenanceChanges.tell();
  };
  if (maintenance === undefined) {
    return error
      ? html`<${ErrorState} error=${error} onRetry=${reload} />`
      : html`<${LoadingRows} label="Loading maintenance" />`;
  }
  const own = maintenance.find((one) => one.gameId === gameId);
  const ofAll = game && maintenance.find((one) => one.gameId === null);
  const hasBegun = own !== undefined && isActive(own);
  return html`
    <section class="card" aria-labelledby="maintenance">
      <div class="card-head">
        <h2 id="maintenance">Maintenance</h2>
        <span class="button-row">
          <${Allowed} to="setMaintenance"><${Button} size="small" onClick=${() => setAsking(true)}><${Icon} name=${own ? 'edit' : 'plus'} />${own ? 'Change' : 'Plan or start'}<//><//>
          ${
            own &&
            html`
              <${ConfirmButton}
                needs="endMaintenance"
                label=${hasBegun ? 'End now' : 'Cancel it'}
                title=${hasBegun ? `End the maintenance of ${scope} now?` : `Cancel the maintenance of ${scope}?`}
                confirm=${hasBegun ? 'End maintenance' : 'Cancel maintenance'}
                act=${() => admin.call('endMaintenance', { gameId })}
                done=${hasBegun ? 'Maintenance ended' : 'Maintenance cancelled'}
                reload=${changed}
              >
                <p>${hasBegun ? 'Players can write and sign in again immediately.' : 'Players are notified that it is cancelled.'}</p>
              <//>
            `
          }
        </span>
      </div>
      ${
        own
          ? html`
              <dl class="card-body facts">
                <div><dt>State</dt><dd>${hasBegun ? html`<span class="badge warn">active</span>` : html`<span class="badge info">planned</span>`}</dd></div>
                <div><dt>From</dt><dd>${minuteTime(own.from)} <span class="quiet small">(${localZone}, <${TimeCell} at=${own.from} />)</span></dd></div>
                <div><dt>Until</dt><dd>${minuteTime(own.until)} <span class="quiet small">(<${TimeCell} at=${own.until} />)</span></dd></div>
                <div><dt>Message</dt><dd class="wrap">${own.message || html`<span class="quiet">none</span>`}</dd></div>
              </dl>
            `
          : html`<${Empty} icon="clock" title="No maintenance planned"><p>During maintenance, players' writes and new sessions are refused with your message. Reads continue, and connections stay open.</p><//>`
      }
      ${ofAll && html`<p class="card-body quiet">Maintenance of all games: ${minuteTime(ofAll.from)} to ${minuteTime(ofAll.until)}. <a href=${linkTo('live-ops', 'maintenance')}>Change it</a></p>`}
    </section>
    ${asking && html`<${MaintenanceForm} gameId=${gameId} scope=${scope} planned=${own} onClose=${() => setAsking(false)} onSaved=${changed} />`}
  `;
}

/** What is known of a maintenance that there is not. */
const none = { from: null, until: null, message: null };

/**
 * @param {{ gameId: string | null, scope: string, planned: Maintenance | undefined, onClose: () => void, onSaved: () => void }} props
 *   `planned`: what it replaces
 */
function MaintenanceForm({ gameId, scope, planned, onClose, onSaved }) {
  const admin = useAdmin();
  const { typed, edit, isChanged, close } = useFormDraft(
    draftKey(gameId ?? '', 'live-ops', 'maintenance'),
    {
      shown: planned, // someone else may change it while the form is open
      start: planned ? 'at' : 'now',
      from: localText(planned?.from ?? null),
      until: localText(planned?.until ?? Date.now() + defaultMs),
      message: planned?.message ?? '',
    },
    onClose,
  );
  const { shown, start, from, until, message } = typed;
  const [known, setKnown] = useState(shown);
  const formId = useId();
  const { busy, error, submit } = useSubmit(
    async () => {
      const at = start === 'now' ? null : timeOf(from, shown?.from);
      const ours = {
        ...(at !== null && { from: at }),
        until: timeOf(until, shown?.until) ?? 0,
        message,
      };
      const { maintenance } = await admin.call('listMaintenance', {});
      const theirs = maintenance.find((one) => one.gameId === gameId);
      setKnown(theirs);
      if (isContradicted(ours, known ?? none, theirs ?? none)) throw new Error(changedMeanwhile);
      await admin.call('setMaintenance', { gameId, ...ours });
      return start === 'now' ? 'Maintenance started' : 'Maintenance saved';
    },
    () => {
      close();
      onSaved();
    },
  );
  return html`
    <${Dialog}
      title="Maintenance of ${scope}"
      stays=${isChanged}
      onClose=${close}
      actions=${html`<${Button} onClick=${close}>Cancel<//><${Button} kind=${start === 'now' ? 'danger' : 'primary'} type="submit" form=${formId} busy=${busy}>${start === 'now' ? 'Start maintenance' : 'Save'}<//>`}
    >
      <form id=${formId} class="form" onSubmit=${submit}>
        <p>Players' writes and new sessions are refused during maintenance. Launchers and running games are notified now, when it begins and when it ends.</p>
        <div class="form-row">
          <${SelectField} label="Begins" value=${start} onValue=${edit('start')} options=${[['now', 'Now'], ['at', 'At a time']]} />
          ${start === 'at' && html`<${TimeField} label="Begins at" required value=${from} onValue=${edit('from')} problem=${problemAt(error, 'from')} />`}
        </div>
        <${TimeField} label="Ends at" required value=${until} onValue=${edit('until')} problem=${problemAt(error, 'until')} hint="You can end it earlier." />
        <${TextField} label="Message to players" rows=${3} maxlength=${500} value=${message} onValue=${edit('message')} problem=${problemAt(error, 'message')} hint="Such as: Back at 18:00 UTC with new maps." />
        <${FormProblem} error=${error} fields=${['from', 'until', 'message']} />
      </form>
    <//>
  `;
}
