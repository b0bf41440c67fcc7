/** The server has another version of this page by now. */
export class OutdatedPage extends Error {
  constructor() {
    super('The server has been updated since this page was loaded. Reload the page to continue.');
  }
}

/**
 * Loads a part of the page, whose file a server of another version does not have.
 * @template Part
 * @param {() => Promise<Part>} load a dynamic import
 * @returns {Promise<Part>}
 * @throws {OutdatedPage}
 */
export async function loadPart(load) {
  try {
    return await load();
  } catch (error) {
    throw (await isOutdated()) ? new OutdatedPage() : error;
  }
}

async function isOutdated() {
  const script = document.querySelector('script[type=module]')?.getAttribute('src') ?? '';
  try {
    const response = await fetch(location.pathname, { cache: 'no-store' });
    return response.ok && !(await response.text()).includes(script);
  } catch {
    return false; // the server cannot be reached
  }
}
