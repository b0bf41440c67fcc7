/**
 * The viewer is dark below an element of the class `dark-mode`: gives it to the page while that is dark.
 * @returns {() => void} stops that
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
