import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { Icon } from '../../shared/icon.js';
import { isStatic } from '../site.js';
import { Fields, Prose } from './fields.js';
import { Samples } from './samples.js';
import { fieldGroups } from './schema.js';
import { TryIt } from './try-it.js';

/** @typedef {import('./api-document.js').DescribedOperation} DescribedOperation */

/**
 * An operation, folded. Its fields are in the page from the start, so that the browser's find leads to them; the
 * form and the examples in code are made when it is first opened.
 * @param {{ operation: DescribedOperation, schemas: import('./schema.js').Schemas }} props
 */
export function Operation({ operation, schemas }) {
  const {
    operationId,
    path,
    method,
    summary,
    description,
    parameters = [],
    requestBody,
    responses,
  } = operation;
  const [wasOpened, setOpened] = useState(false);
  const answer = responses[200]?.content['application/json'];
  const body = requestBody?.content['application/json'].schema;
  const query = parameters.filter((one) => one.in === 'query');
  const input = body
    ? fieldGroups(body, schemas)
    : query.length > 0
      ? fieldGroups(asObject(query), schemas)
      : [];
  return html`
    <details
      class="operation"
      id=${operationId}
      onToggle=${(/** @type {Event & { currentTarget: HTMLDetailsElement }} */ { currentTarget }) => currentTarget.open && setOpened(true)}
    >
      <summary onClick=${nameInAddress(operationId)}>
        <${Icon} name="chevronRight" />
        <h3>${operationId}</h3>
        <code class="operation-path small">${method.toUpperCase()} ${path}</code>
        <span class="operation-summary quiet"><${Prose} text=${summary} /></span>
      </summary>
      <div class="operation-body">
        <p class="quiet"><${Prose} text=${description} /></p>
        <div class="operation-columns">
          <div>
            <h4>${body ? 'Body' : 'Query'}</h4>
            ${input.length > 0 ? html`<${Fields} groups=${input} isInput />` : html`<p class="quiet">No fields</p>`}
            <h4>Answer</h4>
            ${answer && html`<${Fields} groups=${fieldGroups(answer.schema, schemas)} />`}
            <p class="small quiet">Errors have <a href="#errors">one form</a>; all calls accept <a href="#headers">the same headers</a>.</p>
          </div>
          <div class="operation-examples">
            ${wasOpened && html`<h4>Example</h4><${Samples} operation=${operation} />`}
            ${
              answer?.example &&
              html`
                <h4>Example answer</h4>
                <pre class="code" tabindex="0" aria-label="Example answer of ${operationId}"><code>${JSON.stringify(answer.example, null, 2)}</code></pre>
              `
            }
            ${wasOpened && !isStatic && html`<h4>Try it</h4><${TryIt} operation=${operation} />`}
          </div>
        </div>
      </div>
    </details>
  `;
}

/**
 * The parameters of a query as the schema of an object.
 * @param {readonly import('./api-document.js').Parameter[]} query
 * @returns {import('./schema.js').Schema}
 */
export function asObject(query) {
  return {
    properties: Object.fromEntries(
      query.map(({ name, schema, description }) => [
        name,
        { ...schema, ...(description && { description }) },
      ]),
    ),
    required: query.filter(({ required }) => required).map(({ name }) => name),
  };
}

/**
 * Opening an operation puts it into the address, to be shared.
 * @param {string} id
 * @returns {() => void}
 */
export function nameInAddress(id) {
  return () => history.replaceState(history.state, '', `#${id}`);
}
