import { useLayoutEffect, useState } from 'preact/hooks';

/** The current route: `#/games/orbit/players` is `['games', 'orbit', 'players']`. */
export function useRoute() {
  const [route, setRoute] = useState(readRoute);
  // In the same turn as the first rendering: an effect comes after painting, and would miss a link followed at once.
  useLayoutEffect(() => {
    const follow = () => setRoute(readRoute());
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  return route;
}

function readRoute() {
  return location.hash
    .slice(1)
    .split('/')
    .filter((part) => part !== '')
    .map((part) => {
      try {
        return decodeURIComponent(part);
      } catch {
        return part; // typed by hand
      }
    });
}

/** @param {...string} parts */
export function linkTo(...parts) {
  return `#/${parts.map(encodeURIComponent).join('/')}`;
}

/** @param {...string} parts */
export function goTo(...parts) {
  location.hash = linkTo(...parts);
}
