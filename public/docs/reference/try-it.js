import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { Button } from '../../shared/button.js';
import { messageOf } from '../../shared/states.js';

/** @typedef {import('./api-document.js').DescribedOperation} DescribedOperation */

/** The placeholder for the caller's token in the document's examples. */
const exampleToken = 'YOUR_LAUNCHER_JWT';

/** The headers of an answer that say more than its body. */
const tellingHeaders = ['Retry-After', 'Gantry-Warning'];

/**
 * What the reader's calls are sent with, by the name of the document's scheme; only in this page's memory.
 * @type {Record<string, string>}
 */
export const credentials = {};

/** @typedef {{ status: string, isError: boolean, text: string }} Answer */

/**
 * A form that calls an operation on this server, filled with its example.
 * @param {{ operation: DescribedOperation }} props
 */
export function TryIt({ operation }) {
  const { operationId, parameters = [], requestBody } = operation;
  const example = JSON.stringify(requestBody?.content['application/json'].example ?? {}, null, 2);
  const [body, setBody] = useState(example);
  const [values, setValues] = useState(() => examplesOf(parameters));
  const [isBusy, setBusy] = useState(false);
  const [answer, setAnswer] = useState(/** @type {Answer | null} */ (null));
  /** @param {Event} event */
  const send = async (event) => {
    event.preventDefault();
    setBusy(true);
    setAnswer(await call(operation, body, values));
    setBusy(false);
  };
  const isFirst = (/** @type {typeof parameters[number]} */ { in: place, required }) =>
    place === 'query' || required;
  /** @param {typeof parameters} shown */
  const inputs = (shown) =>
    shown.map(
      ({ name, schema }) => html`
        <div class="field" key=${name}>
          <label for="${operationId}-${name}">${name}</label>
          <input
            class="input mono"
            id="${operationId}-${name}"
            list=${schema.enum && `${operationId}-${name}-values`}
            autocomplete="off"
            spellcheck=${false}
            value=${values[name] ?? ''}
            onInput=${(/** @type {InputEvent & { currentTarget: HTMLInputElement }} */ { currentTarget }) => setValues({ ...values, [name]: currentTarget.value })}
          />
          ${schema.enum && html`<datalist id="${operationId}-${name}-values">${schema.enum.map((value) => html`<option key=${value} value=${value}></option>`)}</datalist>`}
        </div>
      `,
    );
  const others = parameters.filter((one) => !isFirst(one));
  return html`
    <form class="try-it" onSubmit=${send} aria-label="Try ${operationId}">
      ${inputs(parameters.filter(isFirst))}
      ${
        requestBody &&
        html`<div class="field">
          <label for="${operationId}-body">Request body</label>
          <textarea
            class="input mono"
            id="${operationId}-body"
            rows=${Math.min(16, body.split('\n').length + 1)}
            spellcheck=${false}
            value=${body}
            onInput=${(/** @type {InputEvent & { currentTarget: HTMLTextAreaElement }} */ { currentTarget }) => setBody(currentTarget.value)}
          ></textarea>
        </div>`
      }
      ${
        others.length > 0 &&
        html`<details class="try-headers"><summary class="small">Headers</summary>${inputs(others)}</details>`
      }
      <div class="try-actions">
        <${Button} kind="primary" type="submit" busy=${isBusy}>Execute<//>
        ${body !== example && html`<${Button} kind="plain" onClick=${() => setBody(example)}>Reset to the example<//>`}
      </div>
      <div role="status" class="try-answer">
        ${
          answer &&
          html`
            <p><span class="badge ${answer.isError ? 'bad' : 'good'}">${answer.status}</span></p>
            <pre class="code" tabindex="0" aria-label="Response body"><code>${answer.text}</code></pre>
          `
        }
      </div>
    </form>
  `;
}

/** @param {readonly import('./api-document.js').Parameter[]} parameters */
function examplesOf(parameters) {
  return Object.fromEntries(
    parameters.flatMap(({ name, example }) => (example === undefined ? [] : [[name, String(example)]])),
  );
}

/**
 * @param {DescribedOperation} operation
 * @param {string} body
 * @param {Readonly<Record<string, string>>} values of its parameters
 * @returns {Promise<Answer>}
 */
async function call({ path, method, parameters = [], security = [] }, body, values) {
  const query = new URLSearchParams();
  /** @type {Record<string, string>} */
  const headers = {};
  for (const { name, in: place } of parameters) {
    const value = values[name];
    if (!value) continue;
    if (place === 'query') query.set(name, value);
    else headers[name] = value;
  }
  const accepts = (/** @type {string} */ scheme) =>
    security.some((one) => scheme in one) && credentials[scheme];
  const bearer = accepts('adminToken') || accepts('gameSecret');
  if (bearer) headers.Authorization = `Bearer ${bearer}`;
  if (method === 'get' && accepts('launcherJwt')) headers['X-Launcher-Jwt'] = credentials.launcherJwt ?? '';
  const startedAt = performance.now();
  try {
    const response = await fetch(query.size > 0 ? `${path}?${query}` : path, {
      method: method.toUpperCase(),
      cache: 'no-store',
      headers: method === 'post' ? { 'Content-Type': 'application/json', ...headers } : headers,
      ...(method === 'post' && { body: withToken(body) }),
    });
    const text = await response.text();
    const told = tellingHeaders.flatMap((name) => {
      const value = response.headers.get(name);
      return value === null ? [] : [`${name}: ${value}`];
    });
    const took = `${Math.round(performance.now() - startedAt)} ms`;
    return {
      status: [`${response.status} ${response.statusText}`.trim(), took, ...told].join(' · '),
      isError: !response.ok,
      text: formatted(text),
    };
  } catch (error) {
    return { status: 'No response', isError: true, text: messageOf(error) };
  }
}

/**
 * The body with the reader's token in place of the placeholder; without a token the field is left out, as a game's server
 * does.
 * @param {string} body
 */
function withToken(body) {
  const { launcherJwt } = credentials;
  if (launcherJwt) return body.replaceAll(JSON.stringify(exampleToken), JSON.stringify(launcherJwt));
  try {
    const { launcherJwt: token, ...others } = JSON.parse(body);
    return token === exampleToken ? JSON.stringify(others) : body;
  } catch {
    return body; // the server says what is wrong with it
  }
}

/** @param {string} text */
function formatted(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
