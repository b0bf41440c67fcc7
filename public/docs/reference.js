import { html } from 'htm/preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { get } from '../shared/api.js';
import { ErrorState, Loading } from '../shared/states.js';
import { followTheme } from './follow-theme.js';

const viewerUrl = '/vendor/swagger-ui/swagger-ui-bundle.js';

/**
 * The viewer is a classic script that leaves its function behind.
 * @typedef {(options: object) => unknown} SwaggerUi
 */

/**
 * Gives parts of the viewer the names and the focus that assistive technology needs of them.
 * @typedef {(component: unknown, system: { React: { createElement: Function } }) => (props: any) => unknown} Wrap
 * @type {Record<string, Wrap>}
 */
const named = {
  TextArea:
    (Original, { React }) =>
    (props) =>
      React.createElement(Original, { 'aria-label': 'Request body', ...props }),
  HighlightCode:
    (Original, { React }) =>
    (props) =>
      React.createElement(
        'div',
        { className: 'scrolled-code', tabIndex: 0 },
        React.createElement(Original, props),
      ),
};

/** Every operation with its fields, to try out on this server. */
export function Reference() {
  const place = useRef(/** @type {HTMLElement | null} */ (null));
  const [error, setError] = useState(/** @type {unknown} */ (null));
  const [isShown, setShown] = useState(false);
  const [tries, setTries] = useState(0);
  useEffect(() => {
    setError(null);
    Promise.all([loadViewer(), get('/openapi.json')]).then(([show, { servers: _, ...spec }]) => {
      if (!place.current) return;
      show({
        // Without the servers it names, calls go to the one this page came from.
        spec,
        domNode: place.current,
        docExpansion: 'list',
        defaultModelsExpandDepth: 0,
        displayRequestDuration: true,
        filter: true,
        tryItOutEnabled: true,
        syntaxHighlight: { activated: false }, // its colours are too faint
        // What it would ask a foreign server to check is checked by our own tests.
        validatorUrl: null,
        plugins: [{ wrapComponents: named }],
        onComplete: () => setShown(true),
      });
    }, setError);
    return followTheme();
  }, [tries]);
  if (error) return html`<${ErrorState} error=${error} onRetry=${() => setTries(tries + 1)} />`;
  return html`
    ${!isShown && html`<${Loading} label="Reading the operations" />`}
    <div class="reference" ref=${place}></div>
  `;
}

/** @returns {Promise<SwaggerUi>} */
async function loadViewer() {
  const there = Reflect.get(globalThis, 'SwaggerUIBundle');
  if (there) return there;
  const script = document.createElement('script');
  script.src = viewerUrl;
  await new Promise((resolve, reject) => {
    script.onload = resolve;
    script.onerror = () => reject(new Error('The viewer could not be loaded from this server.'));
    document.head.append(script);
  });
  return Reflect.get(globalThis, 'SwaggerUIBundle');
}
