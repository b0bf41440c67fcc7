import type { Retention, Store } from './store/store.ts';

/** How often old ones are looked for; while there are more to forget, much sooner. */
const restMs = 60_000;
const breathMs = 50;

/** Forgets old events, and actions that were over long ago, a few at a time, so that no clean-up holds up the writes. Returns how to stop. */
export function trimRegularly(
  store: Store,
  retention: Retention,
  report: (thrown: unknown) => void,
): () => void {
  let timer: NodeJS.Timeout;
  let stopped = false;
  const trim = () => {
    Promise.all([store.events.trim(retention), store.actions.trim(Date.now() - retention.maximumAgeMs)]).then(
      (more) => schedule(more.includes(true)),
      (thrown: unknown) => {
        report(thrown);
        schedule(false);
      },
    );
  };
  const schedule = (thereIsMore: boolean) => {
    if (!stopped) timer = setTimeout(trim, thereIsMore ? breathMs : restMs).unref();
  };
  schedule(true);
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}
