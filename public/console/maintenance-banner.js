import { html } from 'htm/preact';
import { useEffect, useState } from 'preact/hooks';
import { Icon } from '../shared/icon.js';
import { Observable, useChanges } from '../shared/observable.js';
import { minuteTime } from '../shared/relative-time.js';
import { useAdmin } from './admin.js';
import { useGameNames } from './game-names.js';
import { useQuery } from './queries.js';

/** @typedef {import('./admin.js').Output<'listMaintenance'>['maintenance'][number]} Maintenance */

const pollIntervalMs = 15_000;

/** Told by views that have changed maintenance, so that the banner follows at once. */
class MaintenanceChanges extends Observable {
  count = 0;

  tell() {
    this.count += 1;
    this.changed();
  }
}
export const maintenanceChanges = new MaintenanceChanges();

/** The maintenance that is planned or active, kept current. */
export function useMaintenance() {
  const admin = useAdmin();
  useChanges(maintenanceChanges);
  const [, setNow] = useState(Date.now());
  const { result, error, reload } = useQuery(
    () => admin.call('listMaintenance', {}),
    [maintenanceChanges.count],
  );
  useEffect(() => {
    const timer = setInterval(() => {
      setNow(Date.now()); // one that was planned may have begun, also while the server is unreachable
      if (document.visibilityState === 'visible') reload();
    }, pollIntervalMs);
    return () => clearInterval(timer);
  }, []);
  return { maintenance: result?.maintenance, error, reload };
}

/** Whether maintenance has begun. @param {Maintenance} maintenance */
export function isActive({ from }) {
  return from <= Date.now();
}

/** Says which maintenance is active, on every page of the console. */
export function MaintenanceBanner() {
  const active = useMaintenance().maintenance?.filter(isActive) ?? [];
  return active.length > 0 ? html`<${Active} active=${active} />` : null;
}

/** @param {{ active: readonly Maintenance[] }} props */
function Active({ active }) {
  const { nameOf } = useGameNames();
  return active.map(
    ({ gameId, until, message }) => html`
      <p key=${gameId} class="banner warn" role="status">
        <${Icon} name="alert" />
        <span><strong>Maintenance of ${gameId === null ? 'all games' : nameOf(gameId)}</strong> until ${minuteTime(until)}. Players' writes and new sessions are refused.${message && ` “${message}”`}</span>
      </p>
    `,
  );
}
