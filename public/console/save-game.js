import { html } from 'htm/preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { toast } from '../shared/toasts.js';
import { useAdmin } from './admin.js';
import { changedFields, changedMeanwhile, isContradicted } from './edit-conflicts.js';

/** In place of the button that saves. */
export const noPermission = html`<p class="quiet small">Your role cannot change settings.</p>`;

/** @typedef {Omit<import('./admin.js').Input<'updateGame'>, 'gameId'>} Settings */

/**
 * A form of a game's settings. Fields that were not edited follow what is stored, and are not saved: someone else may
 * have changed them. An edited one that someone else has changed too is saved only by another attempt.
 * @template Stored
 * @template {object} Typed
 * @param {{
 *   gameId: string,
 *   stored: Stored,
 *   read: () => Promise<Stored>,
 *   typedOf: (stored: Stored) => Typed,
 *   settingsOf: (typed: Typed) => Settings,
 *   onSaved: () => void,
 * }} form `stored`: as last read; `read` reads it again; `typedOf`: what the fields show of it
 */
export function useSettingsForm({ gameId, stored, read, typedOf, settingsOf, onSaved }) {
  const admin = useAdmin();
  const [base, setBase] = useState(stored);
  useEffect(() => setBase(stored), [stored]);
  const shown = useMemo(() => typedOf(base), [base]);
  const [edits, setEdits] = useState(/** @type {Partial<Typed>} */ ({}));
  // What the edited fields showed before: `stored` may be read again meanwhile, with what someone else has changed.
  const [edited, setEdited] = useState(/** @type {Partial<Typed>} */ ({}));
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState(/** @type {unknown} */ (null));
  const typed = { ...shown, ...edits };
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
  return { typed, edit, busy, error, save };
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
