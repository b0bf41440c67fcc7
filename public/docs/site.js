/** Whether these pages are files that `gantry docs` wrote; otherwise a server answers. All are in one folder then. */
export const isStatic = document.querySelector('meta[name="gantry-static"]') !== null;

export const homeAddress = isStatic ? 'index.html' : '/';
export const searchIndexAddress = isStatic ? 'search.json' : '/docs/search.json';
export const openApiAddress = isStatic ? 'openapi.json' : '/openapi.json';

/**
 * @param {string} page a page of the manual, also with an anchor: `errors#nonce_replayed`
 * @returns {string}
 */
export function pageAddress(page) {
  return isStatic ? page.replace(/^[\w-]+/, '$&.html') : `/docs/${page}`;
}
