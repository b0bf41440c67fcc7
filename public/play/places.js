import { useLayoutEffect, useRef } from 'preact/hooks';
import { Observable } from '../shared/observable.js';

/**
 * What is open in the launcher. Its address is `#<game>/<panel>/<conversation>?<dialog>&<dialog>=<id>`.
 * @typedef {{ slug: string, panel: string, channel: string, dialogs: readonly string[] }} Place `slug`: of the game, empty:
 *   the library; `panel`: empty: the usual one; `dialogs`: also menus, each over the one before, with what they are about
 */

/** @type {Place} */
const library = { slug: '', panel: '', channel: '', dialogs: [] };
/** How many entries of the browser's history are remembered. */
const trailLength = 20;
/** How long the browser may take to go back, in milliseconds. */
const returnMs = 1_000;

/** @param {string} hash @returns {Place} */
function placeOf(hash) {
  const [path = '', query = ''] = hash.slice(1).split('?');
  const [slug = '', panel = '', channel = ''] = path.split('/');
  return { slug, panel, channel, dialogs: query === '' ? [] : query.split('&') };
}

/** @param {Place} place */
export function addressOf({ slug, panel, channel, dialogs }) {
  const path = [slug, panel, channel].join('/').replace(/\/+$/, '');
  return `#${path}${dialogs.length > 0 ? `?${dialogs.join('&')}` : ''}`;
}

/** The same for a library with and without a fragment. */
function addressHere() {
  return addressOf(placeOf(location.hash));
}

/** Whether what has the first address was opened within what has the other. @param {string} address @param {string} other */
function isWithin(address, other) {
  return address.startsWith(other) && /^$|^[/?&]/.test(address.slice(other.length));
}

/** The addresses of the entries before this one, of those that this page has made. @returns {string[]} */
function trailHere() {
  return history.state?.trail ?? [];
}

/**
 * Where the player is, in step with the address and the browser's history: what is opened adds an entry, and what is closed
 * goes back to the entry before, so that Back closes what was opened last and Forward opens it again.
 */
export class Places extends Observable {
  place = placeOf(location.hash);
  /** How many entries there were when this page last changed or followed them. A game in its frame may add its own. */
  #length = history.length;
  /** Where the browser goes back to, which it does a moment later. @type {string | null} */
  #returning = null;
  #returnTimer = 0;
  /** Changes that wait until it is there. @type {(() => void)[]} */
  #waiting = [];

  constructor() {
    super();
    addEventListener('hashchange', () => this.#follow());
  }

  /**
   * Opens a place of the game that is shown, or of the one named. It takes the entry of a dialog that this closes.
   * @param {Partial<Place>} place
   * @param {boolean} [isReplaced] whether it takes the entry of this one in any case
   */
  go(place, isReplaced = false) {
    const next = { ...library, slug: this.place.slug, ...place };
    this.#enter(next, isReplaced || next.dialogs.length < this.place.dialogs.length);
  }

  /**
   * Closes something: goes back to the entry from which it was opened or, without one, changes this one.
   * @param {Partial<Place>} changes what remains
   */
  leave(changes) {
    const address = this.#set({ ...this.place, ...changes });
    if (address === null) return;
    this.#whenReturned(() => {
      const trail = trailHere();
      const at = trail.lastIndexOf(address);
      const isOpener = at >= 0 && trail.slice(at).every((one) => isWithin(one, address));
      if (isOpener && history.length === this.#length) this.#return(at - trail.length, address);
      else history.replaceState(history.state, '', address);
    });
    this.changed();
  }

  /** What the open dialog of this name is about, which may be empty; null: it is not open. @param {string} name */
  dialog(name) {
    return this.place.dialogs[this.#indexOf(name)]?.slice(name.length + 1) ?? null;
  }

  /** @param {string} name @param {string} [about] an id */
  openDialog(name, about = '') {
    if (this.#indexOf(name) >= 0) return;
    this.go({ ...this.place, dialogs: [...this.place.dialogs, about === '' ? name : `${name}=${about}`] });
  }

  /** Closes it, and those over it. @param {string} name */
  closeDialog(name) {
    const index = this.#indexOf(name);
    if (index >= 0) this.leave({ dialogs: this.place.dialogs.slice(0, index) });
  }

  /** The attributes of a link to a place. @param {Partial<Place>} place */
  link(place) {
    return {
      href: addressOf({ ...library, ...place }),
      onClick: (/** @type {MouseEvent} */ event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        this.go(place);
      },
    };
  }

  /** @param {string} name */
  #indexOf(name) {
    return this.place.dialogs.findIndex((one) => one.split('=')[0] === name);
  }

  /** @param {Place} place @param {boolean} isReplaced */
  #enter(place, isReplaced) {
    const address = this.#set(place);
    if (address === null) return;
    this.#whenReturned(() => {
      const trail = [...trailHere(), addressHere()].slice(-trailLength);
      if (isReplaced) history.replaceState(history.state, '', address);
      else history.pushState({ trail }, '', address);
      this.#length = history.length;
    });
    this.changed();
  }

  /** Returns the address of the place; null when it is where the player is already. @param {Place} place */
  #set(place) {
    const address = addressOf(place);
    if (address === addressOf(this.place)) return null;
    this.place = place;
    return address;
  }

  /** @param {number} steps @param {string} address */
  #return(steps, address) {
    this.#returning = address;
    history.go(steps);
    this.#returnTimer = window.setTimeout(() => {
      // It has gone back in the game's frame only.
      history.replaceState(history.state, '', address);
      this.#returned();
    }, returnMs);
  }

  #returned() {
    clearTimeout(this.#returnTimer);
    this.#returning = null;
    this.#length = history.length;
    while (this.#returning === null && this.#waiting.length > 0) this.#waiting.shift()?.();
  }

  /** @param {() => void} act */
  #whenReturned(act) {
    if (this.#returning === null) act();
    else this.#waiting.push(act);
  }

  #follow() {
    if (this.#returning !== null && this.#returning === addressHere()) {
      this.#returned();
      return;
    }
    this.#waiting = []; // the player has gone elsewhere
    this.#returned();
    this.place = placeOf(location.hash);
    this.changed();
  }
}

/**
 * A menu that is open while the place says so: the properties of its element, with `popover="auto"`.
 * @param {Places} places
 * @param {string} name of its dialog
 */
export function useMenu(places, name) {
  const ref = useRef(/** @type {HTMLElement | null} */ (null));
  /** Whether it is about to be shown or hidden; null: neither. Within that, it cannot be shown or hidden again. */
  const willShow = useRef(/** @type {boolean | null} */ (null));
  const isOpen = places.dialog(name) !== null;
  useLayoutEffect(() => {
    const isShown = willShow.current ?? ref.current?.matches(':popover-open');
    if (isOpen === isShown) return;
    if (isOpen) ref.current?.showPopover();
    else ref.current?.hidePopover();
  }, [isOpen]);
  return {
    ref,
    // The address changes with it: `toggle` comes a moment later, when the page may have been left.
    onBeforeToggle: (/** @type {ToggleEvent} */ { newState }) => {
      willShow.current = newState === 'open';
      if (willShow.current) places.openDialog(name);
      else places.closeDialog(name);
    },
    onToggle: () => {
      willShow.current = null;
    },
  };
}
