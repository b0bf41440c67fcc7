import { html } from 'htm/preact';
import { useId, useState } from 'preact/hooks';
import { Button } from '../../shared/button.js';
import { Dialog } from '../../shared/dialog.js';
import { Icon } from '../../shared/icon.js';
import { Markdown } from '../../shared/markdown.js';
import { Empty } from '../../shared/states.js';
import { Table } from '../../shared/table.js';
import { useAdmin } from '../admin.js';
import { Allowed } from '../allowed.js';
import { TimeCell } from '../cells.js';
import { ConfirmButton } from '../confirm-button.js';
import { draftKey, useFormDraft } from '../drafts.js';
import { CheckField, FormProblem, problemAt, TextField } from '../fields.js';
import { pageSize, useQuery } from '../queries.js';
import { MarkdownField } from './markdown-field.js';
import { useSubmit } from './use-submit.js';

/** @typedef {import('../admin.js').Output<'listReleases'>['releases'][number]} Release */

/** How many of the latest releases are listed at first, and with each "Show more". */
const perStep = 50;

/** A game's releases, latest first. @param {{ game: import('../game-view.js').Game }} props */
export function Releases({ game }) {
  const admin = useAdmin();
  const { gameId } = game;
  const [limit, setLimit] = useState(perStep);
  const { result, error, reload } = useQuery(() => latestReleases(admin, gameId, limit), [gameId, limit]);
  const [publishing, setPublishing] = useState(false);
  const [shown, setShown] = useState(/** @type {Release | null} */ (null));
  const current = result?.releases[0]?.version;
  /** @type {import('../../shared/table.js').Column<Release>[]} */
  const columns = [
    {
      title: 'Version',
      narrow: 'main',
      cell: ({ version, required }) => html`
        <span class="name-cell"><strong>${version}</strong>${version === current && html`<span class="badge good">current</span>`}${required && html`<span class="badge warn">required</span>`}</span>
      `,
    },
    { title: 'Published', cell: ({ publishedAt }) => html`<${TimeCell} at=${publishedAt} />` },
    {
      title: 'URL',
      narrow: 'omit',
      wide: true,
      cell: ({ url }) =>
        url ? html`<span class="mono wrap">${url}</span>` : html`<span class="quiet">–</span>`,
    },
    {
      title: 'Actions',
      hidden: true,
      cell: (release) => html`
        <span class="row-buttons">
          ${release.notes && html`<${Button} size="small" aria-label="Show notes of ${release.version}" onClick=${() => setShown(release)}>Notes<//>`}
          <${ConfirmButton}
            needs="removeRelease"
            label="Remove ${release.version}"
            icon="trash"
            iconOnly
            kind="plain"
            title="Remove release ${release.version}?"
            confirm="Remove"
            act=${() => admin.call('removeRelease', { gameId, version: release.version })}
            done="Release ${release.version} removed"
            reload=${reload}
          >
            <p>${release.version === current ? 'The release before it becomes the current version again.' : 'It is no longer listed.'}</p>
          <//>
        </span>
      `,
    },
  ];
  return html`
    <section class="card" aria-labelledby="releases">
      <div class="card-head">
        <h2 id="releases">Releases</h2>
        <${Allowed} to="publishRelease"><${Button} size="small" onClick=${() => setPublishing(true)}><${Icon} name="plus" />New release<//><//>
      </div>
      <${Table}
        caption="Releases of ${game.name}"
        columns=${columns}
        rows=${result?.releases}
        keyOf=${(/** @type {Release} */ { version }) => version}
        error=${error}
        onRetry=${reload}
        empty=${html`<${Empty} icon="send" title="No releases"><p>The latest release is the game's current version; launchers show its notes.</p><//>`}
      />
      ${result?.more && html`<div class="card-body"><${Button} onClick=${() => setLimit(limit + perStep)}>Show more<//></div>`}
    </section>
    ${
      publishing &&
      html`<${ReleaseForm} game=${game} onClose=${() => {
        setPublishing(false);
        reload();
      }} />`
    }
    ${
      shown !== null &&
      html`
        <${Dialog} title="Release ${shown.version}" onClose=${() => setShown(null)} actions=${html`<${Button} onClick=${() => setShown(null)}>Close<//>`}>
          <${Markdown} text=${shown.notes} />
        <//>
      `
    }
  `;
}

/**
 * A game's latest releases, and whether there are more.
 * @param {import('../admin.js').Admin} admin
 * @param {string} gameId
 * @param {number} limit
 */
async function latestReleases(admin, gameId, limit) {
  /** @type {Release[]} */
  const releases = [];
  let after = {};
  let more = true;
  while (more && releases.length < limit) {
    const left = Math.min(limit - releases.length, pageSize);
    const page = await admin.callPublic('listReleases', { gameId, limit: left, ...after });
    releases.push(...page.releases);
    after = { cursor: page.nextCursor };
    more = page.more;
  }
  return { releases, more };
}

/** @param {{ game: import('../game-view.js').Game, onClose: () => void }} props `onClose`: also without publishing */
function ReleaseForm({ game: { gameId }, onClose }) {
  const admin = useAdmin();
  const { typed, edit, isChanged, close } = useFormDraft(
    draftKey(gameId, 'live-ops', 'release'),
    { version: '', notes: '', url: '', required: false },
    onClose,
  );
  const { version, notes, url, required } = typed;
  const formId = useId();
  const { busy, error, submit } = useSubmit(async () => {
    const input = { gameId, version: version.trim(), notes, url: url.trim(), required };
    const { release } = await admin.call('publishRelease', input);
    return `Release ${release.version} published`;
  }, close);
  return html`
    <${Dialog}
      title="New release"
      stays=${isChanged}
      onClose=${close}
      actions=${html`<${Button} onClick=${close}>Cancel<//><${Button} kind="primary" type="submit" form=${formId} busy=${busy}>Publish<//>`}
    >
      <form id=${formId} class="form" onSubmit=${submit}>
        <${TextField} label="Version" required maxlength=${50} placeholder="1.4.2" value=${version} onValue=${edit('version')} problem=${problemAt(error, 'version')} hint="One to four numbers with dots in between." />
        <${MarkdownField} label="Release notes" value=${notes} onValue=${edit('notes')} problem=${problemAt(error, 'notes')} />
        <${TextField} label="URL" inputmode="url" maxlength=${2000} value=${url} onValue=${edit('url')} problem=${problemAt(error, 'url')} hint="Where to get it: https://… or a path on this server. Optional." />
        <${CheckField} label="Required" checked=${required} onChecked=${edit('required')} hint="Launchers ask players of earlier versions to update. To refuse earlier versions, set the oldest version in the game's settings." />
        <${FormProblem} error=${error} fields=${['version', 'notes', 'url']} />
      </form>
    <//>
  `;
}
