import { html, render } from 'htm/preact';
import { SiteHeader } from './site-header.js';

const header = document.getElementById('header');
if (header) render(html`<${SiteHeader} title="Not found" />`, header);
