import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { useChanges } from '../shared/observable.js';
import { whenPassed } from '../shared/when-passed.js';
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

/**
 * Reloads rows when the next time has passed at which one of them changes by itself.
 * @template Row
 * @param {readonly Row[] | undefined} rows
 * @param {(row: Row) => readonly (number | null)[]} timesOf in Unix milliseconds; null: never
 * @param {() => void} reload
 */
export function useReloadWhenPassed(rows, timesOf, reload) {
  useEffect(() => whenPassed(rows?.flatMap(timesOf) ?? [], reload), [rows]);
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
 *   isOutdated: boolean,
 *   loadMore: () => Promise<Loaded<Row>>,
 *   reload: () => void,
 *   reloadFirst: () => void,
 * }} Pages `total`: undefined when the server does not return it; `isOutdated`: loading the rows again has failed;
 *   `reload` loads as many rows as there are, so that none moves under the reader; `reloadFirst` loads only the first
 *   page, for a reader who is there
 */

/**
 * A list that is loaded page by page. `loadMore` resolves with all rows once there are more, and rejects when the list was
 * reloaded in the meantime.
 * @template Row
 * @param {(page: { limit: number, skip: number }) => Promise<{ data: readonly Row[], total?: number, shortened?: true }>} fetchPage
 *   `shortened`: more rows follow, although the page has fewer than requested
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
    isFirstOnly: false,
    pending: /** @type {Promise<Loaded<Row>> | null} */ (null),
  });
  /** @param {PagesState<Row>} next */
  const show = (next) => {
    current.current.state = next;
    setState(next);
  };

  /**
   * Adds pages to these rows until there are more than `least` of them. A page of a list with a total begins with the last
   * row of the page before: if another row is there, rows were removed meanwhile, and those that have moved up are loaded
   * first.
   * @param {readonly Row[]} before
   * @param {number} skip not the number of rows: when rows have moved, pages overlap
   * @param {number} least
   */
  const loadPages = async (before, skip, least) => {
    const { epoch, state: shown } = current.current;
    const rows = new Map(before.map((row) => [keyOf(row), row]));
    for (let next = skip, counted = shown.total !== undefined; ; ) {
      const from = counted ? Math.max(0, next - 1) : next;
      const { data, total, shortened } = await fetchPage({ limit: pageSize, skip: from });
      if (epoch !== current.current.epoch) throw new Error('the list was reloaded in the meantime');
      counted = total !== undefined;
      const [first] = data;
      if (counted && from > 0 && (first === undefined || !rows.has(keyOf(first)))) {
        next = Math.max(0, next - pageSize);
        continue;
      }
      next = from + data.length;
      // A row inserted in the meantime has moved known rows onto this page.
      for (const row of data) if (!rows.has(keyOf(row))) rows.set(keyOf(row), row);
      const complete = data.length < pageSize && !shortened;
      if (complete || rows.size >= least) return { rows: [...rows.values()], total, complete, next };
    }
  };

  /** @returns {Promise<Loaded<Row>>} */
  const load = (fromStart = false, least = 0) => {
    const { epoch, pending, next, state: shown } = current.current;
    if (pending) return pending;
    show({ ...shown, loading: true });
    const request = loadPages(fromStart ? [] : (shown.rows ?? []), fromStart ? 0 : next, least).then(
      ({ rows, total, complete, next: reached }) => {
        current.current.pending = null;
        current.current.next = reached;
        show({ rows, total, complete, loading: false, error: null, isOutdated: false });
        return { rows, complete };
      },
      (error) => {
        if (epoch !== current.current.epoch) throw error;
        current.current.pending = null;
        const { state: before } = current.current;
        show({ ...before, loading: false, error, isOutdated: before.isOutdated || fromStart });
        throw error;
      },
    );
    current.current.pending = request;
    return request;
  };

  useEffect(() => {
    current.current.epoch += 1;
    current.current.pending = null;
    const { state: shown, isFirstOnly } = current.current;
    current.current.isFirstOnly = false;
    load(true, isFirstOnly ? 0 : shown.rows?.length).catch(() => {}); // shown in the state
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
  const reload = () => setGeneration((count) => count + 1);
  const reloadFirst = () => {
    current.current.isFirstOnly = true;
    reload();
  };
  return { ...state, loadMore: () => load(), reload, reloadFirst };
}

/**
 * @template Row
 * @typedef {{ rows: readonly Row[], complete: boolean }} Loaded all rows so far
 */
/**
 * @template Row
 * @typedef {{ rows: readonly Row[] | undefined, total: number | undefined, complete: boolean, loading: boolean, error: unknown, isOutdated: boolean }} PagesState
 */
const initialState = {
  rows: undefined,
  total: undefined,
  complete: false,
  loading: true,
  error: null,
  isOutdated: false,
};
