import { html } from 'htm/preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { toast } from '../shared/toasts.js';
import { useAdmin } from './admin.js';

/** In place of the button that saves. */
export const noPermission = html`<p class="quiet small">Your role cannot change settings.</p>`;

/** @typedef {Omit<import('./admin.js').Input<'updateGame'>, 'gameId'>} Settings */

export const changedMeanwhile =
  'Someone else has changed this meanwhile. Save again to replace that with what is shown here, or reload the page to see it.';

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
 * Whether someone else has given another value to a field that is to be saved.
 * @param {object} ours what is to be saved
 * @param {object} known what this person has seen
 * @param {object} theirs what is stored now
 */
export function isContradicted(ours, known, theirs) {
  const others = changedFields(known, theirs);
  return Object.keys(changedFields(theirs, ours)).some((name) => name in others);
}

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

/**
 * The fields of `now` whose values differ from those before.
 * @template {object} Values
 * @param {object} before
 * @param {Values} now
 * @returns {Partial<Values>}
 */
export function changedFields(before, now) {
  const known = new Map(Object.entries(before));
  const isChanged = (/** @type {[string, unknown]} */ [name, value]) =>
    JSON.stringify(value) !== JSON.stringify(known.get(name));
  return /** @type {Partial<Values>} */ (Object.fromEntries(Object.entries(now).filter(isChanged)));
}
