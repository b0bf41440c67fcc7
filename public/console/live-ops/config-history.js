import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { Button } from '../../shared/button.js';
import { Dialog } from '../../shared/dialog.js';
import { Empty, ErrorState, LoadingRows } from '../../shared/states.js';
import { Table } from '../../shared/table.js';
import { useAdmin } from '../admin.js';
import { Allowed } from '../allowed.js';
import { TimeCell } from '../cells.js';
import { FormProblem, TextField } from '../fields.js';
import { JsonView } from '../json-view.js';
import { useQuery } from '../queries.js';
import { ConfigDiff, changesBetween, textOf } from './config-diff.js';
import { useSubmit } from './use-submit.js';

/** @typedef {import('../admin.js').Output<'listConfigVersions'>['data'][number]} Version */

/**
 * The versions of a config that are kept (100 at most), newest first.
 * @param {{ gameId: string, stored: import('./config.js').Stored, onChanged: () => void }} props `stored`: the current one
 */
export function ConfigHistory({ gameId, stored, onChanged }) {
  const admin = useAdmin();
  const { result, error, reload } = useQuery(
    () => admin.call('listConfigVersions', { gameId, limit: 100 }),
    [gameId, stored.version],
  );
  const [opened, setOpened] = useState(/** @type {Version | null} */ (null));
  /** @type {import('../../shared/table.js').Column<Version>[]} */
  const columns = [
    { title: 'Version', narrow: 'main', cell: ({ version }) => html`<strong>${version}</strong>` },
    { title: 'Saved', cell: ({ at }) => html`<${TimeCell} at=${at} />` },
    { title: 'By', narrow: 'bare', cell: ({ actor }) => html`<span class="truncate">${actor}</span>` },
    {
      title: 'Changed',
      wide: true,
      cell: ({ keys, comment, restored }) => html`
        <span class="wrap"><span class="mono small">${keys.join(', ')}</span>${restored !== null && html` <span class="badge info">rolled back to ${restored}</span>`}${comment && html` <span class="quiet">${comment}</span>`}</span>
      `,
    },
    {
      title: 'Show',
      hidden: true,
      cell: (version) =>
        html`<${Button} size="small" aria-label="Show version ${version.version}" onClick=${() => setOpened(version)}>Show<//>`,
    },
  ];
  return html`
    <section class="card" aria-labelledby="config-versions">
      <div class="card-head"><h2 id="config-versions">Versions</h2></div>
      <${Table}
        caption="Versions of the config"
        columns=${columns}
        rows=${result?.data}
        keyOf=${(/** @type {Version} */ { version }) => String(version)}
        error=${error}
        onRetry=${reload}
        empty=${html`<${Empty} icon="clock" title="No versions yet"><p>Each change creates a version; any version can be restored.</p><//>`}
      />
    </section>
    ${opened !== null && html`<${VersionDialog} gameId=${gameId} version=${opened.version} stored=${stored} onClose=${() => setOpened(null)} onChanged=${onChanged} />`}
  `;
}

/**
 * The content of a version, and what rolling back to it would change.
 * @param {{ gameId: string, version: number, stored: import('./config.js').Stored, onClose: () => void, onChanged: () => void }} props
 */
function VersionDialog({ gameId, version, stored, onClose, onChanged }) {
  const admin = useAdmin();
  const { result, error } = useQuery(() => admin.call('readConfig', { gameId, version }), [version]);
  const [comment, setComment] = useState('');
  const changes = result && changesBetween(stored.entries, result.entries);
  const {
    busy,
    error: refused,
    submit,
  } = useSubmit(
    async () => {
      try {
        await admin.call('rollBackConfig', {
          gameId,
          toVersion: version,
          ifVersion: stored.version,
          comment,
        });
      } catch (failed) {
        onChanged(); // perhaps by another administrator: the differences are then those to the new version
        throw failed;
      }
      return `Rolled back to version ${version}`;
    },
    () => {
      onClose();
      onChanged();
    },
  );
  const canRollBack = changes !== undefined && changes.length > 0;
  return html`
    <${Dialog}
      title="Version ${version}"
      onClose=${onClose}
      actions=${html`<${Button} onClick=${onClose}>Close<//>${canRollBack && html`<${Allowed} to="rollBackConfig"><${Button} kind="primary" type="submit" form="roll-back" busy=${busy}>Roll back to it<//><//>`}`}
    >
      ${error !== null && html`<${ErrorState} error=${error} />`}
      ${result === undefined && error === null && html`<${LoadingRows} label="Loading version" />`}
      ${
        result &&
        html`
          <form id="roll-back" class="form" onSubmit=${submit}>
            <${JsonView} value=${JSON.parse(textOf(result.entries))} label="Config of version ${version}" />
            <h3>Changes made by rolling back</h3>
            <${ConfigDiff} changes=${changes} />
            ${canRollBack && html`<${Allowed} to="rollBackConfig"><${TextField} label="Comment" maxlength=${500} value=${comment} onValue=${setComment} /><//>`}
            <${FormProblem} error=${refused} fields=${[]} />
          </form>
        `
      }
    <//>
  `;
}
