import { html } from 'htm/preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../shared/button.js';
import { ConfirmDialog } from '../shared/dialog.js';
import { Icon } from '../shared/icon.js';
import { useChanges } from '../shared/observable.js';
import { SiteHeader } from '../shared/site-header.js';
import { Empty } from '../shared/states.js';
import { useAdmin } from './admin.js';
import { AdministratorsView } from './administrators-view.js';
import { AuditLog } from './audit-log.js';
import { BackupsView } from './backups-view.js';
import { useScrollToCurrent } from './current-link.js';
import { drafts } from './drafts.js';
import { EventsView } from './events-view.js';
import { GameView } from './game-view.js';
import { Games } from './games.js';
import { useKeptFocus } from './kept-focus.js';
import { LazyView } from './lazy-view.js';
import { MaintenanceBanner } from './maintenance-banner.js';
import { ModerationView } from './moderation-view.js';
import { Overview } from './overview.js';
import { PageHead } from './page-head.js';
import { PlayerPage } from './player-page.js';
import { Players } from './players.js';
import { Queue } from './queue.js';
import { RefusalsView } from './refusals-view.js';
import { ReportPage } from './reports-view.js';
import { RequestsView } from './requests-view.js';
import { linkTo, useRoute } from './route.js';
import { SearchButton } from './search-button.js';

/**
 * Sections that `needs` an operation are shown only to roles that may call it.
 * @type {readonly { path: string, label: string, icon: import('../shared/icon.js').IconName, needs?: import('./admin.js').OperationName }[]}
 */
const sections = [
  { path: '', label: 'Overview', icon: 'chart' },
  { path: 'games', label: 'Games', icon: 'game' },
  { path: 'players', label: 'Players', icon: 'people' },
  { path: 'live-ops', label: 'Live-ops', icon: 'bell' },
  { path: 'moderation', label: 'Moderation', icon: 'chat' },
  { path: 'queue', label: 'Queue', icon: 'bolt' },
  { path: 'events', label: 'Live events', icon: 'send' },
  { path: 'requests', label: 'Requests', icon: 'list' },
  { path: 'refusals', label: 'Refusals', icon: 'shield' },
  { path: 'audit', label: 'Audit log', icon: 'clock' },
  { path: 'backups', label: 'Backups', icon: 'download', needs: 'listBackups' },
  { path: 'administrators', label: 'Administrators', icon: 'key', needs: 'listAdministrators' },
];

/**
 * The console's header, navigation and current view.
 * @param {{ takesFocus: boolean, onSignOut: () => void }} props `takesFocus`: the previously focused element is gone,
 *   as after signing in
 */
export function Shell({ takesFocus, onSignOut }) {
  const admin = useAdmin();
  useChanges(admin);
  const route = useRoute();
  const [path = '', id, tab, ...rest] = route;
  const section = path === 'reports' ? 'moderation' : path; // a report's page, and older links
  const main = useRef(/** @type {HTMLElement | null} */ (null));
  const first = useRef(!takesFocus);
  useKeptFocus(main);
  const links = useScrollToCurrent(section);
  const [isLeaving, setLeaving] = useState(false);
  const routeKey = route.join('/');
  const visible = sections.filter(({ needs }) => needs === undefined || admin.may(needs));
  const needed = sections.find(({ path }) => path === section)?.needs;
  const isForbidden = needed !== undefined && !admin.may(needed);
  const title = sections.find(({ path }) => path === section)?.label ?? 'Console';
  // A layout effect: a later one would steal the focus from a user who has moved on.
  useLayoutEffect(() => {
    document.title = `${title} · Gantry`;
    // Keyboard and screen reader users continue in the view they navigated to.
    if (!first.current) main.current?.focus({ preventScroll: true });
    first.current = false;
    scrollTo(0, 0);
  }, [routeKey]);
  return html`
    <a class="skip-link visually-hidden" href="#main" onClick=${skipTo(main)}>Skip to content</a>
    <${SiteHeader} title="Console">
      ${!admin.reachable && html`<span class="badge bad busy wide-only">Offline</span>`}
      <${SearchButton} pages=${visible} />
      ${admin.identity && html`<${WhoAmI} identity=${admin.identity} />`}
      <${Button} kind="plain" onClick=${() => (drafts.size > 0 ? setLeaving(true) : onSignOut())} label="Sign out"><${Icon} name="signOut" /><span class="wide-only">Sign out</span><//>
    <//>
    <div class="console">
      <nav class="side" aria-label="Sections" ref=${links}>
        ${visible.map(
          ({ path, label, icon }) => html`
            <a key=${path} class="side-link" href=${linkTo(...(path ? [path] : []))} aria-current=${path === section ? 'page' : undefined}>
              <${Icon} name=${icon} />${label}
            </a>
          `,
        )}
      </nav>
      <main class="main" tabindex="-1" ref=${main} id="main">
        ${
          !admin.reachable &&
          html`
            <p class="banner bad offline" role="alert">
              <${Icon} name="offline" />
              <span><strong>Cannot reach the server.</strong> The data shown may be out of date. Reconnecting automatically.</span>
            </p>
          `
        }
        <${MaintenanceBanner} />
        ${isForbidden ? html`<${PageHead} title=${title} /><${Empty} icon="shield" title="You do not have access"><p>Your role is ${admin.identity?.role}. Ask an owner to change it.</p><a href="#/">Overview</a><//>` : viewOf(path, id, tab, rest)}
      </main>
    </div>
    ${
      isLeaving &&
      html`
        <${ConfirmDialog}
          title="Sign out and discard unsaved changes?"
          confirm="Sign out"
          onClose=${() => setLeaving(false)}
          onConfirm=${() => {
            drafts.clear();
            onSignOut();
          }}
        >
          <p>Changes made in this browser tab are not saved.</p>
        <//>
      `
    }
  `;
}

/** Who is signed in, with the role. @param {{ identity: import('./admin.js').Identity }} props */
function WhoAmI({ identity: { name, administratorId, role } }) {
  const shown = administratorId === null ? 'Admin token' : name;
  return html`
    <span class="who" title="Signed in as ${shown}, ${role}">
      <span class="visually-hidden">Signed in as </span>
      <span class="truncate">${shown}</span>
      <span class="badge info">${role}</span>
    </span>
  `;
}

const loadLiveOps = async () => (await import('./live-ops/view.js')).InstallationLiveOps;

/**
 * @param {string} section
 * @param {string | undefined} id
 * @param {string | undefined} tab
 * @param {readonly string[]} rest
 */
function viewOf(section, id, tab, rest) {
  switch (section) {
    case '':
      return html`<${Overview} />`;
    case 'games':
      return id ? html`<${GameView} key=${id} slug=${id} tab=${tab} rest=${rest} />` : html`<${Games} />`;
    case 'players':
      return id
        ? html`<${PlayerPage} key=${id} wallet=${id} tab=${tab} slug=${rest[0]} />`
        : html`<${PageHead} title="Players" /><${Players} />`;
    case 'live-ops':
      return html`<${PageHead} title="Live-ops"><p class="quiet">News and maintenance of all games; the rest is on each game's page.</p><//><${LazyView} load=${loadLiveOps} label="Loading live-ops" part=${id} />`;
    case 'reports':
      return id
        ? html`<${ReportPage} key=${id} reportId=${id} />`
        : html`<${ModerationView} tab="reports" />`;
    case 'moderation':
      return html`<${ModerationView} tab=${id} />`;
    case 'queue':
      return html`<${PageHead} title="Queue"><p class="quiet">On-chain actions and webhook deliveries.</p><//><${Queue} />`;
    case 'events':
      return html`<${PageHead} title="Live events" /><${EventsView} />`;
    case 'requests':
      return html`<${PageHead} title="Requests"><p class="quiet">Recent failed, refused and slow requests to this node, and a sample of the others.</p><//><${RequestsView} outcome=${id} range=${tab} search=${rest[0]} />`;
    case 'refusals':
      return html`<${PageHead} title="Refusals"><p class="quiet">Calls and connections refused by this node in the last hour.</p><//><${RefusalsView} />`;
    case 'audit':
      return html`<${PageHead} title="Audit log"><p class="quiet">Changes made by administrators.</p><//><${AuditLog} />`;
    case 'backups':
      return html`<${BackupsView} />`;
    case 'administrators':
      return html`<${AdministratorsView} />`;
    default:
      return html`<${PageHead} title="Console" /><${Empty} title="Page not found"><a href="#/">Overview</a><//>`;
  }
}

/**
 * The hash is the address of a view, so the link moves the focus by itself.
 * @param {{ current: HTMLElement | null }} main
 * @returns {(event: Event) => void}
 */
function skipTo(main) {
  return (event) => {
    event.preventDefault();
    main.current?.focus();
  };
}
