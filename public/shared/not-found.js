import { html, render } from 'htm/preact';
import { Search } from '../docs/search.js';
import { SiteHeader } from './site-header.js';

const header = document.getElementById('header');
if (header) render(html`<${SiteHeader} title="Not found"><${Search} /><//>`, header);
