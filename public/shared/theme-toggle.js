import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { Icon } from './icon.js';

/** Switches between light and dark, and remembers it for every page of this server. */
export function ThemeToggle() {
  const [theme, setTheme] = useState(shownTheme);
  const other = theme === 'dark' ? 'light' : 'dark';
  const toggle = () => {
    document.documentElement.dataset.theme = other;
    try {
      localStorage.setItem('gantry-theme', other);
    } catch {
      // No access to storage: the choice lasts until the page is left.
    }
    setTheme(other);
  };
  const label = `Switch to ${other} theme`;
  return html`
    <button type="button" class="button plain icon-only" aria-label=${label} title=${label} onClick=${toggle}>
      <${Icon} name=${other === 'dark' ? 'moon' : 'sun'} />
    </button>
  `;
}

/** @returns {'light' | 'dark'} what is shown now */
function shownTheme() {
  const { theme } = document.documentElement.dataset;
  if (theme === 'light' || theme === 'dark') return theme;
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
}
