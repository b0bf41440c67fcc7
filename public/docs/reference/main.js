import { html, render } from 'htm/preact';
import { Reference } from './reference.js';

const place = document.getElementById('reference');
if (place) render(html`<${Reference} />`, place);
