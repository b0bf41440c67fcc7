// A classic script in the head, before anything is drawn, so that a page never shows in the wrong colours first.
{
  let chosen = null;
  try {
    chosen = localStorage.getItem('gantry-theme');
  } catch {
    // No access to storage: the system's setting applies.
  }
  if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen;
}
