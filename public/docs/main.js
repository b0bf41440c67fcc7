import { html, render } from 'htm/preact';
import { useEffect, useState } from 'preact/hooks';
import { SiteHeader } from '../shared/site-header.js';
import { Tabs } from '../shared/tabs.js';
import { Protocol } from './protocol.js';
import { Reference } from './reference.js';

const protocolHash = '#protocol';

const tabs = /** @type {const} */ ([
  { id: 'reference', label: 'Operations' },
  { id: 'protocol', label: 'Socket protocol' },
]);

/** A chapter of the protocol has its own address, `#protocol-6-cursors…`; any other leads into the reference. */
function shownTab() {
  return location.hash.startsWith(protocolHash) ? 'protocol' : 'reference';
}

function Docs() {
  const [shown, setShown] = useState(shownTab);
  useEffect(() => {
    const follow = () => setShown(shownTab());
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  /** @param {string} id */
  const select = (id) => {
    history.pushState(null, '', id === 'protocol' ? protocolHash : location.pathname);
    setShown(shownTab());
  };
  return html`
    <${SiteHeader} title="API reference">
      <a class="button plain" href="/openapi.json">openapi.json</a>
    <//>
    <div class="docs">
      <h1 class="visually-hidden">API reference</h1>
      <${Tabs} label="Parts of the reference" tabs=${tabs} selected=${shown} onSelect=${select} />
      <div role="tabpanel" id="panel-${shown}" aria-labelledby="tab-${shown}">
        ${shown === 'protocol' ? html`<${Protocol} />` : html`<${Reference} />`}
      </div>
    </div>
  `;
}

const app = document.getElementById('app');
if (app) render(html`<${Docs} />`, app);
