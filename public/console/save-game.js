import { html } from 'htm/preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { Button } from '../shared/button.js';
import { toast } from '../shared/toasts.js';
import { useAdmin } from './admin.js';
import { Allowed } from './allowed.js';
import { ConfirmButton } from './confirm-button.js';
import { draftKey, drafts, useDraft } from './drafts.js';
import { changedFields, changedMeanwhile, isContradicted } from './edit-conflicts.js';

/** @typedef {Omit<import('./admin.js').Input<'updateGame'>, 'gameId'>} Settings */

/** @template Typed @typedef {{ edits: Partial<Typed>, edited: Partial<Typed> }} Draft of a form */
/** @typedef {{ busy: boolean, isChanged: boolean, discard: () => Promise<void> }} Saving the state of a form */

/**
 * A form of a game's settings, whose edits outlive it as a draft. Fields that were not edited follow what is stored, and
 * are not saved: someone else may have changed them. An edited one that someone else has changed too is saved only by
 * another attempt.
 * @template Stored
 * @template {object} Typed
 * @param {{
 *   name: string,
 *   gameId: string,
 *   stored: Stored,
 *   read: () => Promise<Stored>,
 *   typedOf: (stored: Stored) => Typed,
 *   settingsOf: (typed: Typed) => Settings,
 *   onSaved: () => void,
 * }} form `name`: unique among the forms of settings; `stored`: as last read; `read` reads it again; `typedOf`: what the
 *   fields show of it
 */
export function useSettingsForm({ name, gameId, stored, read, typedOf, settingsOf, onSaved }) {
  const admin = useAdmin();
  const [base, setBase] = useState(stored);
  useEffect(() => setBase(stored), [stored]);
  const shown = useMemo(() => typedOf(base), [base]);
  const key = draftKey(gameId, 'settings', name);
  const [draft] = useState(() => /** @type {Draft<Typed> | undefined} */ (drafts.get(key)));
  const [edits, setEdits] = useState(draft?.edits ?? {});
  // What the edited fields showed before: `stored` may be read again meanwhile, with what someone else has changed.
  const [edited, setEdited] = useState(draft?.edited ?? {});
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState(/** @type {unknown} */ (null));
  const typed = { ...shown, ...edits };
  const isChanged = Object.keys(changedFields(shown, edits)).length > 0;
  useDraft(key, isChanged ? { edits, edited } : undefined);
  /** @param {Event} event */
  const save = async (event) => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      const [before, now] = [settingsOf({ ...shown, ...edited }), settingsOf(typed)];
      const current = await read();
      setBase(current);
      const known = flat(before);
      const theirs = flat(settingsOf(typedOf(current)));
      if (isContradicted(changedFields(known, flat(now)), known, theirs)) {
        setEdited({});
        throw new Error(changedMeanwhile);
      }
      await admin.call('updateGame', { gameId, ...changesOf(before, now) });
      toast('Saved', 'success'); // also when reading it again fails
      onSaved();
      setBase(await read());
      setEdits((latest) => changedFields(edits, latest)); // what was typed since then
      setEdited({});
    } catch (failed) {
      setError(failed);
    }
    setBusy(false);
  };
  /**
   * What takes a field's new value.
   * @template {keyof Typed} Field
   * @param {Field} field
   * @returns {(value: Typed[Field]) => void}
   */
  const edit = (field) => (value) => {
    setEdits((latest) => ({ ...latest, [field]: value }));
    if (!(field in edits)) setEdited((latest) => ({ ...latest, [field]: shown[field] }));
  };
  const discard = async () => {
    setEdits({});
    setEdited({});
    setError(null);
  };
  return { typed, edit, error, save, saving: { busy, isChanged, discard } };
}

/**
 * The end of a form of settings.
 * @param {{ label: string, saving: Saving, disabled?: boolean }} props
 */
export function SaveButtons({ label, saving: { busy, isChanged, discard }, disabled }) {
  return html`
    <div class="form-end">
      <${Allowed} to="updateGame" instead=${html`<p class="quiet small">Your role cannot change settings.</p>`}>
        ${isChanged && html`<${ConfirmButton} label="Discard changes" kind="plain" title="Discard your changes?" confirm="Discard" act=${discard} done="Changes discarded"><p>The form then shows what is saved.</p><//>`}
        <${Button} type="submit" kind="primary" busy=${busy} disabled=${disabled}>${label}<//>
      <//>
    </div>
  `;
}

/** Settings with each policy by itself. @param {Settings} settings @returns {object} */
const flat = ({ policies, ...rest }) => ({ ...rest, ...(policies ?? {}) });

/**
 * The settings that differ from those before.
 * @param {Settings} before
 * @param {Settings} now
 * @returns {Settings}
 */
function changesOf(before, now) {
  const { policies } = now;
  return {
    ...changedFields(before, now),
    policies: policies && changedFields(before.policies ?? {}, policies),
  };
}
