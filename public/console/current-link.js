import { useEffect, useRef } from 'preact/hooks';

/**
 * For a row of links that may be longer than the screen is wide: the current one is brought into sight.
 * @param {string} current changes when another one is current
 */
export function useCurrentInSight(current) {
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
