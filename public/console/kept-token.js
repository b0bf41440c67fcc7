const key = 'gantry-console-token';

/** The admin token of this tab; it lasts as long as the tab, and other tabs do not see it. */
export function keptToken() {
  try {
    return sessionStorage.getItem(key);
  } catch {
    return null; // no access to storage: the user signs in again after a reload
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
