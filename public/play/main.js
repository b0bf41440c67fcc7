import { html, render } from 'htm/preact';
import { SiteHeader } from '../shared/site-header.js';
import { Loading } from '../shared/states.js';

const place = document.getElementById('app');
if (place) render(html`<${SiteHeader} title="Play" /><main><${Loading} /></main>`, place);
