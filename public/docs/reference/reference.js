import { html, render } from 'htm/preact';
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { Icon } from '../../shared/icon.js';
import { ErrorState, Loading } from '../../shared/states.js';
import { isStatic, openApiAddress, pageAddress } from '../site.js';
import { idOfTopic, loadDocument } from './api-document.js';
import { Fields, Prose } from './fields.js';
import { asObject, nameInAddress, Operation } from './operation.js';
import { fieldGroups } from './schema.js';
import { credentials, TryIt } from './try-it.js';

/** @typedef {import('./api-document.js').ApiDocument} ApiDocument */
/** @typedef {import('./api-document.js').DescribedOperation} DescribedOperation */
/** @typedef {InputEvent & { currentTarget: HTMLInputElement }} TypedInputEvent */
/** @typedef {Event & { currentTarget: HTMLDetailsElement }} TypedToggleEvent */

const dispatchTitle = 'Method dispatch';

/** Every operation by topic, with its fields and examples, ready to try on this server. */
export function Reference() {
  const [shown, setShown] = useState(/** @type {ApiDocument | null} */ (null));
  const [error, setError] = useState(/** @type {unknown} */ (null));
  const [tries, setTries] = useState(0);
  useEffect(() => {
    setError(null);
    loadDocument().then(setShown, setError);
  }, [tries]);
  useLayoutEffect(() => {
    if (shown === null) return;
    listTopics(shown);
    const follow = () => showAddressed(shown);
    follow();
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, [shown]);
  if (error) return html`<${ErrorState} error=${error} onRetry=${() => setTries(tries + 1)} />`;
  if (shown === null) return html`<${Loading} label="Loading operations" />`;
  const { topics, operations, schemas } = shown;
  const dispatch = operations.filter((one) => one['x-topic'] === undefined);
  return html`
    <p>
      Every operation, by topic. Search this page with the browser's find (Ctrl+F): it opens what it finds.
      The document behind it is <a href=${openApiAddress}>openapi.json</a> (OpenAPI 3.1). New to Gantry?${' '}
      <a href=${pageAddress('first-session')}>A first session</a> gets a token and makes the first calls.
    </p>
    ${!isStatic && html`<${Credentials} document=${shown} />`}
    <${Folded} id="headers" title="Headers" summary="What every call accepts: signatures, idempotency keys">
      <${Fields} groups=${headersOf(shown)} />
      <p class="small quiet">How to sign requests: <a href=${pageAddress('authentication#signed-requests')}>Signed requests</a>. How to retry: <a href=${pageAddress('game-servers#idempotency-keys')}>Idempotency keys</a>.</p>
    <//>
    <${Folded} id="errors" title="Errors" summary="The answer of every refused call, and its reasons">
      <${Errors} document=${shown} />
    <//>
    ${topics.map(
      ({ title, page }) => html`
        <section key=${title} aria-labelledby=${idOfTopic(title)}>
          <h2 id=${idOfTopic(title)}>${title}</h2>
          <p class="quiet">In the manual: <a href=${pageAddress(page)}>${titleOfPage(page) || title}</a></p>
          ${operations
            .filter((one) => one['x-topic'] === title)
            .map((one) => html`<${Operation} key=${one.operationId} operation=${one} schemas=${schemas} />`)}
        </section>
      `,
    )}
    <section aria-labelledby=${idOfTopic(dispatchTitle)}>
      <h2 id=${idOfTopic(dispatchTitle)}>${dispatchTitle}</h2>
      <p class="quiet">
        Every operation can also be called by its name, in the header <code>X-Service-Method</code>. In the manual:${' '}
        <a href=${pageAddress('calling#calling-styles')}>Calling styles</a>
      </p>
      ${dispatch.map((one) => html`<${Dispatch} key=${one.operationId} operation=${one} />`)}
    </section>
  `;
}

/**
 * A folded section that is not an operation.
 * @param {{ id: string, title: string, summary: string, children?: import('preact').ComponentChildren }} props
 */
function Folded({ id, title, summary, children }) {
  return html`
    <details class="operation" id=${id}>
      <summary onClick=${nameInAddress(id)}>
        <${Icon} name="chevronRight" />
        <h2>${title}</h2>
        <span class="operation-summary quiet">${summary}</span>
      </summary>
      <div class="operation-body">${children}</div>
    </details>
  `;
}

const credentialLabels = {
  launcherJwt: 'Launcher token',
  gameSecret: 'Game secret',
  adminToken: 'Admin token',
};

/** What the reader's own calls are sent with. @param {{ document: ApiDocument }} props */
function Credentials({ document: { credentials: schemes } }) {
  return html`
    <${Folded} id="credentials" title="Credentials" summary="Your token or secret, to execute operations here">
      <form class="credentials" onSubmit=${(/** @type {Event} */ event) => event.preventDefault()}>
        ${Object.entries(credentialLabels).map(
          ([scheme, label]) => html`
            <div class="field" key=${scheme}>
              <label for="credential-${scheme}">${label}</label>
              <input
                class="input mono"
                type="password"
                autocomplete="off"
                id="credential-${scheme}"
                aria-describedby="about-${scheme}"
                onInput=${(/** @type {TypedInputEvent} */ { currentTarget }) => {
                  credentials[scheme] = currentTarget.value.trim();
                }}
              />
              <span class="hint" id="about-${scheme}"><${Prose} text=${schemes[scheme]?.description ?? ''} /></span>
            </div>
          `,
        )}
      </form>
      <p class="small quiet">They are kept until this page is closed, and sent only to this server.</p>
    <//>
  `;
}

/** @param {{ document: ApiDocument }} props */
function Errors({ document: { operations, schemas } }) {
  const { data, ...others } = schemas.Error?.properties ?? {};
  const { reason, ...details } = data?.properties ?? {};
  // The reasons have a list of their own.
  const named = {
    ...details,
    reason: { type: 'string', description: 'What programs branch on: one of those below' },
  };
  const groups = fieldGroups(
    { ...schemas.Error, properties: { ...others, data: { ...data, properties: named } } },
    schemas,
  );
  const { 200: _, ...statuses } = operations[0]?.responses ?? {};
  return html`
    <dl class="statuses">
      ${Object.entries(statuses).map(
        ([status, { description }]) =>
          html`<dt key=${status}>${status === 'default' ? 'Others' : status}</dt><dd><${Prose} text=${description} /></dd>`,
      )}
    </dl>
    <h3>Body</h3>
    <${Fields} groups=${groups} />
    <h3>Reasons</h3>
    <ul class="plain-list names">
      ${reason?.enum?.map((name) => html`<li key=${name}><a href=${pageAddress(`errors#${name}`)}><code>${name}</code></a></li>`)}
    </ul>
  `;
}

/**
 * The headers of calls, once each.
 * @param {ApiDocument} document
 */
function headersOf({ operations, schemas }) {
  const headers = operations
    .flatMap(({ parameters = [] }) => parameters)
    .filter(({ name, in: place }) => place === 'header' && name !== 'X-Service-Method');
  return fieldGroups(asObject(headers), schemas);
}

/** A service's path, on which the operations are called by name. @param {{ operation: DescribedOperation }} props */
function Dispatch({ operation }) {
  const { operationId, method, path, summary, description, parameters = [] } = operation;
  const [wasOpened, setOpened] = useState(false);
  const names = parameters.find(({ name }) => name === 'X-Service-Method')?.schema.enum ?? [];
  return html`
    <details
      class="operation"
      id=${operationId}
      onToggle=${(/** @type {TypedToggleEvent} */ { currentTarget }) => currentTarget.open && setOpened(true)}
    >
      <summary onClick=${nameInAddress(operationId)}>
        <${Icon} name="chevronRight" />
        <h3 class="operation-path">${method.toUpperCase()} ${path}</h3>
        <span class="operation-summary quiet">${summary}</span>
      </summary>
      <div class="operation-body">
        <p class="quiet">${description}</p>
        <h4>Names in X-Service-Method</h4>
        <ul class="plain-list names">
          ${names.map((name) => html`<li key=${name}><code>${name}</code></li>`)}
        </ul>
        ${wasOpened && !isStatic && html`<h4>Try it</h4><${TryIt} operation=${operation} />`}
      </div>
    </details>
  `;
}

/**
 * Adds the topics to the menu of the manual, below this page.
 * @param {ApiDocument} shown
 */
function listTopics({ topics }) {
  const current = document.querySelector('#manual-menu [aria-current]')?.parentElement;
  if (!current) return;
  const place = document.createElement('ul');
  place.className = 'plain-list topics';
  current.append(place);
  const titles = [...topics.map(({ title }) => title), dispatchTitle];
  const links = titles.map(
    (title) => html`<li key=${title}><a href="#${idOfTopic(title)}">${title}</a></li>`,
  );
  render(html`${links}`, place);
}

/**
 * The title of a page in the menu of the manual.
 * @param {string} page
 */
function titleOfPage(page) {
  return document.querySelector(`#manual-menu a[href="${pageAddress(page.split('#')[0] ?? '')}"]`)
    ?.textContent;
}

/**
 * Opens what the address names: `#setUserScore`, a topic, or as in links made before, `#/launcher/setUserScore` and the
 * service `#/scores`.
 * @param {ApiDocument} shown
 */
function showAddressed({ operations }) {
  const [, service, name] = /^#\/([^/]+)(?:\/(.+))?$/.exec(decodeURIComponent(location.hash)) ?? [];
  const topic = operations.find((one) => one['x-topic'] !== undefined && one.tags.includes(service ?? ''));
  const older = name ?? (topic && idOfTopic(topic['x-topic'] ?? ''));
  if (older !== undefined) nameInAddress(older)();
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target instanceof HTMLDetailsElement) target.open = true;
  target?.scrollIntoView();
}
