import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { CopyButton } from '../../shared/copy-button.js';
import { Tabs } from '../../shared/tabs.js';
import { isStatic } from '../site.js';
import { codeSamples, socketSamples } from './code-samples.js';

/** @typedef {import('./api-document.js').DescribedOperation} DescribedOperation */

/** In a static site, a server on the reader's machine, as in the manual's examples. */
const serverUrl = isStatic ? 'http://127.0.0.1:3000' : location.origin;

const languageKey = 'gantry-sample-language';

/**
 * An operation's example as code, in the last selected language.
 * @param {{ operation: DescribedOperation }} props
 */
export function Samples({ operation }) {
  const samples = samplesOf(operation);
  const [chosen, setChosen] = useState(() => localStorage.getItem(languageKey) ?? 'curl');
  const shown = samples.find(({ id }) => id === chosen) ?? samples[0];
  if (!shown) return null;
  const tabId = (/** @type {string} */ id) => `${operation.operationId}-${id}`;
  /** @param {string} selected */
  const select = (selected) => {
    const id = selected.slice(operation.operationId.length + 1);
    localStorage.setItem(languageKey, id);
    setChosen(id);
  };
  return html`
    <section class="samples" aria-label="Example in code: ${operation.operationId}">
      <${Tabs}
        label="Language"
        tabs=${samples.map(({ id, label }) => ({ id: tabId(id), label }))}
        selected=${tabId(shown.id)}
        onSelect=${select}
      />
      <div class="snippet" role="tabpanel" id="panel-${tabId(shown.id)}" aria-labelledby="tab-${tabId(shown.id)}">
        <pre class="code" tabindex="0"><code>${shown.code}</code></pre>
        <div class="snippet-copy"><${CopyButton} text=${shown.code} label="Copy this example" /></div>
      </div>
    </section>
  `;
}

/** @param {DescribedOperation} operation */
function samplesOf({ path, method, operationId, tags, security = [], parameters = [], requestBody }) {
  const body = requestBody?.content['application/json'].example;
  const [service = ''] = tags;
  if (service === 'realtime-events' && path.startsWith('/launcher/')) {
    return socketSamples({ url: serverUrl, service, operation: operationId, body });
  }
  /** @type {Record<string, string>} */
  const headers = {};
  const query = new URLSearchParams();
  for (const { name, in: place, example } of parameters) {
    if (example === undefined) continue;
    if (place === 'query') query.set(name, String(example));
    else headers[name] = String(example);
  }
  if (security.length > 0 && security.every((one) => 'adminToken' in one)) {
    headers.Authorization = 'Bearer YOUR_ADMIN_TOKEN';
  } else if (security.length > 0 && security.every((one) => 'gameSecret' in one)) {
    headers.Authorization = 'Bearer YOUR_GAME_SECRET';
  }
  const url = `${serverUrl}${path}${query.size > 0 ? `?${query}` : ''}`;
  return codeSamples({ url, method: method === 'get' ? 'GET' : 'POST', headers, body });
}
