const key = 'gantry-console-token';

/** The admin token of this tab; it is forgotten with the tab, and other tabs never see it. */
export function keptToken() {
  try {
    return sessionStorage.getItem(key);
  } catch {
    return null; // storage is closed to this page: one signs in again after a reload
  }
}

/** @param {string | null} token */
export function keepToken(token) {
  try {
    if (token === null) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, token);
  } catch {
    // It then lasts until the page is left.
  }
}
