/**
 * Keeps the class `dark-mode` on the page, which the viewer uses for its dark theme, in sync with the page's theme.
 * @returns {() => void} stops following
 */
export function followTheme() {
  const root = document.documentElement;
  const system = matchMedia('(prefers-color-scheme: dark)');
  const apply = () => {
    const { theme } = root.dataset;
    root.classList.toggle('dark-mode', theme === undefined ? system.matches : theme === 'dark');
  };
  const watcher = new MutationObserver(apply);
  watcher.observe(root, { attributeFilter: ['data-theme'] });
  system.addEventListener('change', apply);
  apply();
  return () => {
    watcher.disconnect();
    system.removeEventListener('change', apply);
  };
}
