import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { Icon } from './icon.js';
import { useMedia } from './use-media.js';

/** Switches between light and dark, and saves the choice for every page of this server. */
export function ThemeToggle() {
  const [chosen, setChosen] = useState(chosenTheme);
  const system = useMedia('(prefers-color-scheme: dark)') ? 'dark' : 'light';
  const theme = chosen ?? system;
  const other = theme === 'dark' ? 'light' : 'dark';
  const toggle = () => {
    document.documentElement.dataset.theme = other;
    try {
      localStorage.setItem('gantry-theme', other);
    } catch {
      // No access to storage: the choice lasts until the page is left.
    }
    setChosen(other);
  };
  const label = `Switch to ${other} theme`;
  return html`
    <button type="button" class="button plain icon-only" aria-label=${label} title=${label} onClick=${toggle}>
      <${Icon} name=${other === 'dark' ? 'moon' : 'sun'} />
    </button>
  `;
}

/** @returns {'light' | 'dark' | null} null when the system's theme applies */
function chosenTheme() {
  const { theme } = document.documentElement.dataset;
  return theme === 'light' || theme === 'dark' ? theme : null;
}
