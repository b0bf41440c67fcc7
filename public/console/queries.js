import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { useChanges } from '../shared/observable.js';
import { useAdmin } from './admin.js';

/**
 * The result of a query, which is repeated when its dependencies change and when the server is reachable again.
 * Meanwhile, and if that fails, the previous result stays.
 * @template Result
 * @param {() => Promise<Result>} query
 * @param {readonly unknown[]} dependencies
 * @returns {{ result: Result | undefined, error: unknown, reload: () => void }} `error` is null when there is none
 */
export function useQuery(query, dependencies) {
  const admin = useAdmin();
  useChanges(admin);
  const [state, setState] = useState({
    result: /** @type {Result | undefined} */ (undefined),
    error: /** @type {unknown} */ (null),
  });
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    let cancelled = false;
    query().then(
      (result) => !cancelled && setState({ result, error: null }),
      (error) => !cancelled && setState((before) => ({ result: before.result, error })),
    );
    return () => {
      cancelled = true;
    };
  }, [...dependencies, attempt, admin.reconnects]);
  const reload = useCallback(() => setAttempt((count) => count + 1), []);
  return { ...state, error: state.result === undefined ? state.error : null, reload };
}

/** The largest page the server returns. */
export const pageSize = 250;

/**
 * @template Row
 * @typedef {{
 *   rows: readonly Row[] | undefined,
 *   total: number | undefined,
 *   complete: boolean,
 *   loading: boolean,
 *   error: unknown,
 *   loadMore: () => Promise<More<Row>>,
 *   reload: () => void,
 * }} Pages `total`: undefined when the server does not return it
 */

/**
 * A list that is loaded page by page. `loadMore` resolves with the rows the next page adds, and rejects when
 * the list was reloaded in the meantime.
 * @template Row
 * @param {(page: { limit: number, skip: number }) => Promise<{ data: readonly Row[], total?: number }>} fetchPage
 * @param {(row: Row) => string} keyOf
 * @param {readonly unknown[]} dependencies
 * @returns {Pages<Row>}
 */
export function usePages(fetchPage, keyOf, dependencies) {
  const admin = useAdmin();
  useChanges(admin);
  const [generation, setGeneration] = useState(0);
  const [state, setState] = useState(/** @type {PagesState<Row>} */ (initialState));
  // Responses to outdated queries must not be mixed into the current list.
  const current = useRef({
    state,
    epoch: 0,
    next: 0,
    pending: /** @type {Promise<More<Row>> | null} */ (null),
  });
  /** @param {PagesState<Row>} next */
  const show = (next) => {
    current.current.state = next;
    setState(next);
  };

  /** @returns {Promise<More<Row>>} */
  const load = (fromStart = false) => {
    const { epoch, pending } = current.current;
    if (pending) return pending;
    // Not the number of rows: when rows have moved, pages overlap.
    const skip = fromStart ? 0 : current.current.next;
    show({ ...current.current.state, loading: true });
    const request = fetchPage({ limit: pageSize, skip }).then(
      ({ data, total }) => {
        if (epoch !== current.current.epoch) throw new Error('the list was reloaded in the meantime');
        current.current.pending = null;
        current.current.next = skip + data.length;
        const before = fromStart ? [] : (current.current.state.rows ?? []);
        // A row inserted in the meantime has moved known rows onto this page.
        const known = new Set(before.map(keyOf));
        const added = data.filter((row) => !known.has(keyOf(row)));
        const complete = data.length < pageSize;
        show({ rows: [...before, ...added], total, complete, loading: false, error: null });
        return { added, complete };
      },
      (error) => {
        if (epoch !== current.current.epoch) throw error;
        current.current.pending = null;
        show({ ...current.current.state, loading: false, error });
        throw error;
      },
    );
    current.current.pending = request;
    return request;
  };

  useEffect(() => {
    current.current.epoch += 1;
    current.current.pending = null;
    load(true).catch(() => {}); // shown in the state
  }, [generation, admin.reconnects]);
  const isFirst = useRef(true);
  useEffect(() => {
    if (isFirst.current) {
      isFirst.current = false;
      return;
    }
    show(initialState);
    setGeneration((count) => count + 1);
  }, dependencies);
  return { ...state, loadMore: () => load(), reload: () => setGeneration((count) => count + 1) };
}

/**
 * @template Row
 * @typedef {{ added: readonly Row[], complete: boolean }} More
 */
/**
 * @template Row
 * @typedef {{ rows: readonly Row[] | undefined, total: number | undefined, complete: boolean, loading: boolean, error: unknown }} PagesState
 */
const initialState = { rows: undefined, total: undefined, complete: false, loading: true, error: null };
