import { html } from 'htm/preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError } from '../../shared/api.js';
import { Button } from '../../shared/button.js';
import { Dialog } from '../../shared/dialog.js';
import { ErrorState, LoadingRows } from '../../shared/states.js';
import { useAdmin } from '../admin.js';
import { ConfirmButton } from '../confirm-button.js';
import { draftKey, drafts, useDraft } from '../drafts.js';
import { FormProblem, jsonProblem, TextField } from '../fields.js';
import { JsonEditor } from '../json-editor.js';
import { JsonView } from '../json-view.js';
import { useQuery } from '../queries.js';
import { ConfigDiff, changesBetween, contentFields, entriesOf, textOf } from './config-diff.js';
import { ConfigHistory } from './config-history.js';
import { useSubmit } from './use-submit.js';

/** @typedef {import('../admin.js').Output<'readConfig'>} Stored */
/** @typedef {{ base: Stored, text: string }} Draft `base`: the version it changes */

/** The config of a game, its editor and its versions. @param {{ game: import('../game-view.js').Game }} props */
export function Config({ game: { gameId } }) {
  const admin = useAdmin();
  const { result, error, reload } = useQuery(() => admin.call('readConfig', { gameId }), [gameId]);
  if (result === undefined) {
    return error
      ? html`<${ErrorState} error=${error} onRetry=${reload} />`
      : html`<${LoadingRows} label="Loading config" />`;
  }
  return html`
    <div class="stacked-cards">
      <section class="card" aria-labelledby="config">
        <div class="card-head"><h2 id="config">Config</h2><span class="quiet small">${result.version === 0 ? 'Nothing set yet' : `Version ${result.version}`}</span></div>
        ${
          admin.may('setConfig')
            ? html`<${Editor} gameId=${gameId} stored=${result} reload=${reload} />`
            : html`<div class="card-body form"><${JsonView} value=${JSON.parse(textOf(result.entries))} label="Config" /><p class="quiet small">Your role cannot change the config.</p></div>`
        }
      </section>
      <${ConfigHistory} gameId=${gameId} stored=${result} onChanged=${reload} />
    </div>
  `;
}

/** @param {{ gameId: string, stored: Stored, reload: () => void }} props `stored`: as last read */
function Editor({ gameId, stored, reload }) {
  const key = draftKey(gameId, 'live-ops', 'config');
  const [draft] = useState(() => /** @type {Draft | undefined} */ (drafts.get(key)));
  const [base, setBase] = useState(draft?.base ?? stored);
  const before = textOf(base.entries);
  const [text, setText] = useState(draft?.text ?? before);
  const [saving, setSaving] = useState(false);
  const editor = useRef(null);
  const isChanged = text !== before;
  const isOutdated = stored.version !== base.version;
  const problem = problemOf(text);
  /** @param {Stored} now */
  const load = (now) => {
    setBase(now);
    setText(textOf(now.entries));
  };
  useEffect(() => {
    // These changes may be what was saved: the response was lost with the connection.
    const isSaved = problem === '' && changesBetween(stored.entries, entriesOf(text)).length === 0;
    if (isOutdated && (!isChanged || isSaved)) load(stored);
  }, [isOutdated, isChanged, stored]);
  useDraft(key, isChanged ? { base, text } : undefined);
  return html`
    <div class="card-body form">
      <${JsonEditor}
        label="Config (JSON by key)"
        value=${text}
        onValue=${setText}
        marks=${[]}
        handle=${editor}
        hint=${'Each key: {"value": …, "public": true, "rules": []}. Saved changes reach running games immediately. Escape, then Tab, leaves the editor.'}
      />
      ${problem && html`<p class="problem" role="alert">${problem}</p>`}
      ${
        isOutdated &&
        isChanged &&
        html`
          <div class="banner warn">
            <span role="alert"><strong>Version ${stored.version} was saved in the meantime.</strong> Your changes are not saved. It changed:</span>
            <${ConfirmButton} label="Load version ${stored.version}" title="Load version ${stored.version}?" confirm="Load" act=${async () => load(stored)} done="Version ${stored.version} loaded"><p>Your changes are lost.</p><//>
            <${Button} size="small" onClick=${() => setBase(stored)}>Keep my text<//>
          </div>
          <${ConfigDiff} changes=${changesBetween(base.entries, stored.entries)} />
        `
      }
      <div class="form-end">
        ${isChanged && html`<${ConfirmButton} label="Discard changes" kind="plain" title="Discard your changes?" confirm="Discard" act=${async () => setText(before)} done="Changes discarded"><p>The editor shows the saved version.</p><//>`}
        <${Button} kind="primary" disabled=${!isChanged || isOutdated || problem !== ''} onClick=${() => setSaving(true)}>Review and save<//>
      </div>
    </div>
    ${
      saving &&
      html`<${SaveDialog} gameId=${gameId} base=${base} text=${text} reload=${reload} onClose=${() => setSaving(false)} onSaved=${() => {
        setSaving(false);
        setBase({ ...base, entries: entriesOf(text) });
        setText(textOf(entriesOf(text)));
        reload();
      }} />`
    }
  `;
}

/** @param {string} text */
function problemOf(text) {
  const found = jsonProblem(text);
  if (found) return found;
  const value = JSON.parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return 'Must be an object: { "key": { "value": … } }';
  const wrong = Object.keys(value).find(
    (key) => typeof value[key] !== 'object' || value[key] === null || !('value' in value[key]),
  );
  if (wrong !== undefined) return `${wrong}: must be an object with a value: { "value": … }`;
  // A misspelled `public` would make a private key public.
  for (const [key, content] of Object.entries(value)) {
    const unknown = Object.keys(content).find((field) => !contentFields.includes(field));
    if (unknown !== undefined)
      return `${key}: has an unknown field, ${unknown}; the fields are ${contentFields.join(', ')}`;
  }
  return '';
}

/**
 * Shows what a change of the config changes, and saves it.
 * @param {{ gameId: string, base: Stored, text: string, reload: () => void, onClose: () => void, onSaved: () => void }} props
 */
function SaveDialog({ gameId, base, text, reload, onClose, onSaved }) {
  const admin = useAdmin();
  const [comment, setComment] = useState('');
  const changes = changesBetween(base.entries, entriesOf(text));
  const { busy, error, submit } = useSubmit(async () => {
    try {
      const { version } = await admin.call('setConfig', {
        gameId,
        ifVersion: base.version,
        comment,
        changes: changes.map(({ key, after }) => (after ? { key, ...after } : { key, removed: true })),
      });
      return `Version ${version} saved`;
    } catch (failed) {
      if (failed instanceof ApiError && failed.reason === 'config_changed') reload();
      throw failed;
    }
  }, onSaved);
  return html`
    <${Dialog}
      title="Save these changes?"
      onClose=${onClose}
      actions=${html`<${Button} onClick=${onClose}>Cancel<//><${Button} kind="primary" type="submit" form="save-config" busy=${busy} disabled=${changes.length === 0}>Save<//>`}
    >
      <form id="save-config" class="form" onSubmit=${submit}>
        <${ConfigDiff} changes=${changes} />
        <${TextField} label="Comment" maxlength=${500} value=${comment} onValue=${setComment} hint="Why, for the list of versions. Optional." />
        <${FormProblem} error=${error} fields=${[]} />
        ${error instanceof ApiError && error.errors.map(({ path, message }) => html`<p key=${path} class="problem">${pathIn(path, changes)}: ${message}</p>`)}
      </form>
    <//>
  `;
}

/** The path of a problem, by key: `changes.0.rules.1` is `xp.rules.1`. @param {string} path @param {readonly { key: string }[]} changes */
function pathIn(path, changes) {
  return path.replace(/^changes\.(\d+)/, (_all, index) => changes[Number(index)]?.key ?? index);
}
