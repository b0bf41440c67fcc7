import { html, render } from 'htm/preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { get } from '../../shared/api.js';
import { ErrorState, Loading } from '../../shared/states.js';
import { followTheme } from './follow-theme.js';
import { Samples } from './samples.js';

const viewerUrl = '/vendor/swagger-ui/swagger-ui-bundle.js';

/** The placeholder for the caller's token in the document's examples. */
const exampleToken = 'YOUR_LAUNCHER_JWT';

/**
 * The viewer is a classic script that sets a global.
 * @typedef {{ authSelectors: { authorized(): { getIn(path: string[]): unknown } } }} ShownViewer
 * @typedef {(options: object) => ShownViewer} SwaggerUi
 */

/**
 * Wraps components of the viewer: adds missing accessible names and keyboard focus, and inserts code samples before an
 * operation's responses.
 * @typedef {(component: unknown, system: { React: { createElement: Function } }) => (props: any) => unknown} Wrap
 * @typedef {{ paths: Record<string, Record<string, import('./samples.js').DescribedOperation>> }} ApiDocument
 * @param {ApiDocument} document
 * @returns {Record<string, Wrap>}
 */
function componentWrappers({ paths }) {
  return {
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
    // Replaces a link nested in the button that opens an operation; the address bar shows its URL in any case.
    DeepLink:
      (_Original, { React }) =>
      ({ text }) =>
        React.createElement('span', null, text),
    responses:
      (Original, { React }) =>
      (props) => {
        const { path, method } = props;
        const operation = paths[path]?.[method];
        const fill = (/** @type {HTMLElement | null} */ place) => {
          if (!place || !operation) return;
          render(html`<${Samples} path=${path} method=${method} operation=${operation} />`, place);
        };
        return React.createElement(
          'div',
          null,
          React.createElement('div', { ref: fill }),
          React.createElement(Original, props),
        );
      },
  };
}

/** Every operation with its fields and examples, ready to try on this server. */
export function Reference() {
  const place = useRef(/** @type {HTMLElement | null} */ (null));
  const [error, setError] = useState(/** @type {unknown} */ (null));
  const [isShown, setShown] = useState(false);
  const [tries, setTries] = useState(0);
  useEffect(() => {
    setError(null);
    Promise.all([loadViewer(), get('/openapi.json')]).then(([show, { servers: _, ...spec }]) => {
      if (!place.current) return;
      const viewer = show({
        // Without `servers`, calls go to the origin of this page.
        spec,
        domNode: place.current,
        deepLinking: true,
        docExpansion: 'list',
        defaultModelsExpandDepth: -1,
        displayRequestDuration: true,
        filter: true,
        persistAuthorization: false,
        tryItOutEnabled: true,
        syntaxHighlight: { activated: false }, // its contrast is too low
        // Our own tests validate the document, so no third-party server is needed.
        validatorUrl: null,
        plugins: [{ wrapComponents: componentWrappers(spec) }],
        requestInterceptor: (/** @type {{ body?: unknown }} */ request) =>
          withToken(request, viewer.authSelectors.authorized().getIn(['launcherJwt', 'value'])),
        onComplete: () => setShown(true),
      });
    }, setError);
    return followTheme();
  }, [tries]);
  if (error) return html`<${ErrorState} error=${error} onRetry=${() => setTries(tries + 1)} />`;
  return html`
    ${!isShown && html`<${Loading} label="Loading operations" />`}
    <div class="reference" ref=${place}></div>
  `;
}

/**
 * POST requests carry the launcher token in the body: replaces the example's placeholder with the authorized token.
 * @template {{ body?: unknown }} R
 * @param {R} request
 * @param {unknown} token
 * @returns {R}
 */
function withToken(request, token) {
  if (typeof token !== 'string' || typeof request.body !== 'string') return request;
  request.body = request.body.replaceAll(JSON.stringify(exampleToken), JSON.stringify(token));
  return request;
}

/** @returns {Promise<SwaggerUi>} */
async function loadViewer() {
  const loaded = Reflect.get(globalThis, 'SwaggerUIBundle');
  if (loaded) return loaded;
  const script = document.createElement('script');
  script.src = viewerUrl;
  await new Promise((resolve, reject) => {
    script.onload = resolve;
    script.onerror = () => reject(new Error('Could not load the viewer from this server.'));
    document.head.append(script);
  });
  return Reflect.get(globalThis, 'SwaggerUIBundle');
}
