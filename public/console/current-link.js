import { useEffect, useRef } from 'preact/hooks';

/**
 * Scrolls the current link of a row of links, which may be wider than the screen, into view.
 * @param {string} current the current link's key
 */
export function useScrollToCurrent(current) {
  const row = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => {
    const element = row.current;
    const link = element?.querySelector('[aria-current]');
    if (!element || !(link instanceof HTMLElement)) return;
    // Not `scrollIntoView`, which would move the page as well.
    element.scrollLeft = link.offsetLeft - element.offsetLeft - (element.clientWidth - link.offsetWidth) / 2;
  }, [current]);
  return row;
}
