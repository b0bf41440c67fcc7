/** Why a form is not saved at the first attempt. */
export const changedMeanwhile =
  'Someone else has changed this meanwhile. Save again to replace that with what is shown here, or reload the page to see it.';

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
