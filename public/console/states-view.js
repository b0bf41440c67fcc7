import { html } from 'htm/preact';
import { useMemo, useState } from 'preact/hooks';
import { ApiError } from '../shared/api.js';
import { Button } from '../shared/button.js';
import { CopyButton } from '../shared/copy-button.js';
import { Dialog } from '../shared/dialog.js';
import { Icon } from '../shared/icon.js';
import { Empty, ErrorState, Loading } from '../shared/states.js';
import { toast } from '../shared/toasts.js';
import { useAdmin } from './admin.js';
import { isoTime, PlayerCell, TimeCell } from './cells.js';
import { DataTable } from './data-table.js';
import { FormProblem, jsonProblem, problemAt, TextField } from './fields.js';
import { JsonView } from './json-view.js';
import { asBytes } from './numbers.js';
import { usePlayerFilter } from './player-filter.js';
import { usePages, useQuery } from './queries.js';

/** @typedef {import('./admin.js').Output<'listStates'>['data'][number]} State */

/**
 * The states of a game's players.
 * @param {{ game: import('./game-view.js').Game, player?: string }} props `player`: the wallet to restrict it to
 */
export function StatesView({ game, player }) {
  const admin = useAdmin();
  const { gameId } = game;
  const filter = usePlayerFilter(gameId);
  const wallet = player ?? filter.wallet;
  const [shown, setShown] = useState(/** @type {State | null} */ (null));
  const pages = usePages(
    (page) => admin.call('listStates', { gameId, ...page, ...(wallet && { wallet }) }),
    (/** @type {State} */ state) => state._id,
    [gameId, wallet],
  );
  /** @type {import('./virtual-table.js').Column<State>[]} */
  const columns = [
    {
      title: 'Player',
      exportOnly: player !== undefined,
      narrow: 'bare',
      cell: ({ normalizedAddress }) => html`<${PlayerCell} wallet=${normalizedAddress} />`,
      value: ({ normalizedAddress }) => normalizedAddress,
    },
    {
      title: 'Label',
      wide: true,
      cell: ({ label }) => html`<span class="truncate">${label}</span>`,
      value: ({ label }) => label,
    },
    {
      title: 'Version',
      number: true,
      narrow: 'omit',
      cell: ({ version }) => version,
      value: ({ version }) => version,
    },
    {
      title: 'Public',
      cell: ({ public: isPublic }) => (isPublic ? 'Yes' : 'No'),
      value: ({ public: isPublic }) => (isPublic ? 'yes' : 'no'),
    },
    { title: 'Size', number: true, cell: ({ bytes }) => asBytes(bytes), value: ({ bytes }) => bytes },
    {
      title: 'Updated',
      cell: ({ updatedAt }) => html`<${TimeCell} at=${updatedAt} />`,
      value: ({ updatedAt }) => isoTime(updatedAt),
    },
    { title: 'CID', exportOnly: true, cell: () => null, value: ({ ipfsHash }) => ipfsHash },
    {
      title: 'Show',
      hidden: true,
      cell: (state) =>
        html`<${Button} size="small" aria-label="Show state ${state.label}" onClick=${() => setShown(state)}>Show<//>`,
    },
  ];
  return html`
    <${DataTable}
      caption="States in ${game.name}"
      columns=${columns}
      pages=${pages}
      keyOf=${(/** @type {State} */ state) => state._id}
      fileName="${game.slug}-states"
      empty=${html`<${Empty} icon="list" title="No states"><p>Games save states with <code>setState</code>.</p><//>`}
    >
      ${player === undefined && filter.field}
    <//>
    ${shown && html`<${StateDialog} summary=${shown} onClose=${() => setShown(null)} onSaved=${pages.reload} />`}
  `;
}

/** @typedef {NonNullable<import('./admin.js').Output<'getPlayerState'>['state']>} StateRecord */

/**
 * One state, and its editor.
 * @param {{ summary: State, onClose: () => void, onSaved: () => void }} props
 */
function StateDialog({ summary, onClose, onSaved }) {
  const admin = useAdmin();
  const { gameId, normalizedAddress: wallet, label } = summary;
  const { result, error, reload } = useQuery(
    () => admin.call('getPlayerState', { gameId, wallet, label }),
    [summary],
  );
  const [edited, setEdited] = useState(/** @type {StateRecord | null} */ (null));
  const state = result?.state;
  if (edited) {
    const saved = () => {
      setEdited(null);
      reload();
      onSaved();
    };
    return html`<${StateEditor} key="editor" state=${edited} onClose=${() => setEdited(null)} onSaved=${saved} />`;
  }
  return html`
    <${Dialog}
      key="view"
      title=${label}
      onClose=${onClose}
      actions=${html`
        ${state && admin.may('setPlayerState') && html`<${Button} onClick=${() => setEdited(state)}><${Icon} name="edit" />Edit<//>`}
        <${Button} onClick=${onClose}>Close<//>
      `}
    >
      <dl class="facts">
        <div><dt>Player</dt><dd><${PlayerCell} wallet=${wallet} /></dd></div>
        <div><dt>Updated</dt><dd><${TimeCell} at=${state?.updatedAt ?? summary.updatedAt} /></dd></div>
        <div><dt>Version</dt><dd>${state?.version ?? summary.version}</dd></div>
        <div><dt>Readable by</dt><dd>${summary.public ? 'Every player of the game' : 'The player'}</dd></div>
        <div><dt>CID</dt><dd class="mono id-line"><span class="truncate">${state?.ipfsHash ?? summary.ipfsHash}</span><${CopyButton} text=${state?.ipfsHash ?? summary.ipfsHash} label="Copy CID" /></dd></div>
      </dl>
      ${
        result === undefined
          ? error
            ? html`<${ErrorState} error=${error} onRetry=${reload} />`
            : html`<${Loading} label="Loading state" />`
          : state
            ? html`<${JsonView} key=${state.ipfsHash} value=${state.state} label="State ${label}" />`
            : html`<${Empty} title="This state no longer exists" />`
      }
    <//>
  `;
}

/**
 * Edits a state as JSON. If the game has written it meanwhile, the administrator is warned and can overwrite it.
 * @param {{ state: StateRecord, onClose: () => void, onSaved: () => void }} props
 */
function StateEditor({ state, onClose, onSaved }) {
  const admin = useAdmin();
  const { gameId, normalizedAddress: wallet, label } = state;
  const before = useMemo(() => JSON.stringify(state.state, null, 2), [state]);
  const [text, setText] = useState(before);
  const [ifVersion, setIfVersion] = useState(state.version);
  const [isOutdated, setOutdated] = useState(false);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState(/** @type {unknown} */ (null));
  const problem = jsonProblem(text);
  /** @param {Event} event */
  const save = async (event) => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      await admin.call('setPlayerState', { gameId, wallet, label, state: text, ifVersion });
      toast(`State ${label} saved`, 'success');
      onSaved();
      return;
    } catch (failed) {
      const currentVersion = failed instanceof ApiError ? failed.version : undefined;
      setOutdated(currentVersion !== undefined);
      if (currentVersion === undefined) setError(failed);
      else setIfVersion(currentVersion);
    }
    setBusy(false);
  };
  return html`
    <${Dialog}
      title="Edit ${label}"
      stays=${text !== before}
      onClose=${onClose}
      actions=${html`<${Button} onClick=${onClose}>Cancel<//><${Button} kind="primary" type="submit" form="edit-state" busy=${busy} disabled=${problem !== '' || text === before}>${isOutdated ? 'Save anyway' : 'Save'}<//>`}
    >
      <form id="edit-state" class="form" onSubmit=${save}>
        <${TextField} label="State (JSON)" class="input mono code-area" rows=${14} spellcheck=${false} autocapitalize="off" value=${text} onValue=${setText} problem=${problem || problemAt(error, 'state')} hint="The game reads it the next time it loads the state; a game in progress may overwrite it." />
        ${isOutdated && html`<p class="banner warn" role="alert"><span><strong>The game has saved another state in the meantime.</strong> Saving replaces it.</span></p>`}
        <${FormProblem} error=${error} fields=${['state']} />
      </form>
    <//>
  `;
}
