import { html } from 'htm/preact';
import { ThemeToggle } from './theme-toggle.js';

/**
 * The header of every page: the logo, the page's title, and the page's actions on the right.
 * @param {{ title: string, home?: string, children?: import('preact').ComponentChildren }} props
 */
export function SiteHeader({ title, home = '/', children }) {
  return html`
    <header class="site-header">
      <a class="brand" href=${home} aria-label="Gantry home">
        <${Mark} />
        <span>Gantry</span>
      </a>
      <span class="site-title truncate">${title}</span>
      <div class="site-actions">
        ${children}
        <${ThemeToggle} />
      </div>
    </header>
  `;
}

/** Gantry's logo: a crane that holds a load. */
export function Mark() {
  return html`
    <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
      <path class="mark-frame" d="M3 7h26M8 7v20M24 7v20M4.5 27h7M20.5 27h7" />
      <path class="mark-hook" d="M16 7v6" />
      <rect class="mark-load" x="12" y="13" width="8" height="7" rx="1.5" />
    </svg>
  `;
}
