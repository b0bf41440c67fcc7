// A classic script in the head, which runs before the first paint, so that a page never flashes in the wrong theme.
{
  let chosen = null;
  try {
    chosen = localStorage.getItem('gantry-theme');
  } catch {
    // No access to storage: the system's setting applies.
  }
  if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen;
}
