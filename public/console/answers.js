import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { useChanges } from '../shared/observable.js';
import { useAdmin } from './admin.js';

/**
 * The answer to a question, asked again when what it depends on changes and when the server has come back.
 * While it is asked again, and when that fails, the answer before stays.
 * @template Answer
 * @param {() => Promise<Answer>} ask
 * @param {readonly unknown[]} dependencies
 * @returns {{ answer: Answer | undefined, error: unknown, reload: () => void }} `error` is null without one
 */
export function useAnswer(ask, dependencies) {
  const admin = useAdmin();
  useChanges(admin);
  const [state, setState] = useState({
    answer: /** @type {Answer | undefined} */ (undefined),
    error: /** @type {unknown} */ (null),
  });
  const [asked, setAsked] = useState(0);
  useEffect(() => {
    let wanted = true;
    ask().then(
      (answer) => wanted && setState({ answer, error: null }),
      (error) => wanted && setState((before) => ({ answer: before.answer, error })),
    );
    return () => {
      wanted = false;
    };
  }, [...dependencies, asked, admin.returns]);
  const reload = useCallback(() => setAsked((count) => count + 1), []);
  return { ...state, error: state.answer === undefined ? state.error : null, reload };
}

/** As many as an answer may hold. */
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
 * }} Pages `total`: undefined when the server does not tell
 */

/**
 * A list that is loaded page after page. `loadMore` resolves with what the next page adds, and rejects when
 * the list was loaded anew meanwhile.
 * @template Row
 * @param {(page: { limit: number, skip: number }) => Promise<{ data: readonly Row[], total?: number }>} askPage
 * @param {(row: Row) => string} keyOf
 * @param {readonly unknown[]} dependencies
 * @returns {Pages<Row>}
 */
export function usePages(askPage, keyOf, dependencies) {
  const admin = useAdmin();
  useChanges(admin);
  const [generation, setGeneration] = useState(0);
  const [state, setState] = useState(/** @type {PagesState<Row>} */ (nothingYet));
  // What was asked for before the question changed must not land among the answers to the new one.
  const current = useRef({
    state,
    round: 0,
    next: 0,
    underWay: /** @type {Promise<More<Row>> | null} */ (null),
  });
  /** @param {PagesState<Row>} next */
  const show = (next) => {
    current.current.state = next;
    setState(next);
  };

  /** @returns {Promise<More<Row>>} */
  const load = (afresh = false) => {
    const { round, underWay } = current.current;
    if (underWay) return underWay;
    // Not the number of rows that are here: of a page that has moved, some were here before.
    const skip = afresh ? 0 : current.current.next;
    show({ ...current.current.state, loading: true });
    const asking = askPage({ limit: pageSize, skip }).then(
      ({ data, total }) => {
        if (round !== current.current.round) throw new Error('the list was loaded anew meanwhile');
        current.current.underWay = null;
        current.current.next = skip + data.length;
        const before = afresh ? [] : (current.current.state.rows ?? []);
        // A row that came in between has moved others onto this page that are here already.
        const known = new Set(before.map(keyOf));
        const added = data.filter((row) => !known.has(keyOf(row)));
        const complete = data.length < pageSize;
        show({ rows: [...before, ...added], total, complete, loading: false, error: null });
        return { added, complete };
      },
      (error) => {
        if (round !== current.current.round) throw error;
        current.current.underWay = null;
        show({ ...current.current.state, loading: false, error });
        throw error;
      },
    );
    current.current.underWay = asking;
    return asking;
  };

  useEffect(() => {
    current.current.round += 1;
    current.current.underWay = null;
    load(true).catch(() => {}); // it is shown
  }, [generation, admin.returns]);
  const asked = useRef(true);
  useEffect(() => {
    if (asked.current) {
      asked.current = false;
      return;
    }
    show(nothingYet);
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
const nothingYet = { rows: undefined, total: undefined, complete: false, loading: true, error: null };
