import { html } from 'htm/preact';
import { useEffect, useState } from 'preact/hooks';
import { loadPart } from '../shared/load-part.js';
import { ErrorState, LoadingRows } from '../shared/states.js';

/**
 * A view whose module is loaded when it is shown, so that the console's first load does not contain it.
 * @param {{
 *   load: () => Promise<import('preact').FunctionComponent<any>>,
 *   label: string,
 *   [prop: string]: unknown,
 * }} props `load` imports the module and returns the component; `label` is read out meanwhile; the others are the view's
 */
export function LazyView({ load, label, ...props }) {
  const [view, setView] = useState(/** @type {import('preact').FunctionComponent<any> | null} */ (null));
  const [error, setError] = useState(/** @type {unknown} */ (null));
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    setError(null);
    loadPart(load).then((loaded) => setView(() => loaded), setError);
  }, [attempt]);
  if (view !== null) return html`<${view} ...${props} />`;
  return error === null
    ? html`<${LoadingRows} label=${label} />`
    : html`<${ErrorState} error=${error} onRetry=${() => setAttempt((count) => count + 1)} />`;
}
