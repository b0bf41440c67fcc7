/**
 * The viewer is dark inside an element with the class `dark-mode`: sets it on the page while that is dark.
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
