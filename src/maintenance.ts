import type { Retention, Store } from './store/store.ts';

/** How often old events are looked for; while there are more to forget, much sooner. */
const restMs = 60_000;
const breathMs = 50;

/** Forgets old events a few at a time, so that no clean-up holds up the writes. Returns how to stop. */
export function trimRegularly(
  store: Store,
  retention: Retention,
  report: (thrown: unknown) => void,
): () => void {
  let timer: NodeJS.Timeout;
  let stopped = false;
  const trim = () => {
    store.events.trim(retention).then(schedule, (thrown: unknown) => {
      report(thrown);
      schedule(false);
    });
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
