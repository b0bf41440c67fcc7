import { useAdmin } from './admin.js';
import { useQuery } from './queries.js';

/**
 * The names of games, launchers last: they are rarely what is looked for. `nameOf` returns the ID of an unknown game, and a dash for null.
 * @returns {{ names: ReadonlyMap<string, string>, nameOf: (gameId: string | null) => string }}
 */
export function useGameNames() {
  const admin = useAdmin();
  const { result } = useQuery(() => admin.call('listGames', {}), []);
  const games = result?.games.toSorted(
    (a, b) => Number(a.kind === 'launcher') - Number(b.kind === 'launcher'),
  );
  const names = new Map(games?.map(({ gameId, name }) => [gameId, name]));
  return { names, nameOf: (gameId) => (gameId === null ? '–' : (names.get(gameId) ?? gameId)) };
}

/**
 * The options of a field that filters by game.
 * @param {ReadonlyMap<string, string>} names
 * @returns {readonly (readonly [value: string, label: string])[]}
 */
export function gameChoices(names) {
  return [['', 'All games'], ...names];
}

/**
 * The name of each of these games by its ID; the ID of any other.
 * @param {readonly import('./game-view.js').Game[]} games
 * @returns {(gameId: string) => string}
 */
export function nameIn(games) {
  const names = new Map(games.map(({ gameId, name }) => [gameId, name]));
  return (gameId) => names.get(gameId) ?? gameId;
}
