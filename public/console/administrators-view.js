import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { Button } from '../shared/button.js';
import { Dialog } from '../shared/dialog.js';
import { Icon } from '../shared/icon.js';
import { Empty } from '../shared/states.js';
import { Table } from '../shared/table.js';
import { toast } from '../shared/toasts.js';
import { useAdmin } from './admin.js';
import { TimeCell } from './cells.js';
import { ConfirmButton } from './confirm-button.js';
import { changedFields } from './edit-conflicts.js';
import { FormProblem, problemAt, SelectField, TextField } from './fields.js';
import { PageHead } from './page-head.js';
import { useQuery } from './queries.js';
import { SecretOnce } from './secret-once.js';

/**
 * @typedef {import('./admin.js').Output<'listAdministrators'>['administrators'][number]} Administrator
 * @typedef {Administrator['role']} Role
 */

/** @type {readonly (readonly [role: Role, may: string])[]} */
const roles = [
  ['owner', 'Everything, including administrators.'],
  [
    'operator',
    'Games, their secrets, rules, webhooks, the queue and backups; editing states and erasing players; everything moderators can do.',
  ],
  ['moderator', 'Bans, names, scores, messages and sessions of players. Reads everything except backups.'],
  ['read-only', 'Reads what moderators can read, without changing anything.'],
];

/** @type {readonly (readonly [days: string, label: string])[]} */
const lifetimes = [
  ['', 'Never'],
  ['1', 'In 1 day'],
  ['7', 'In 7 days'],
  ['30', 'In 30 days'],
  ['90', 'In 90 days'],
  ['365', 'In 1 year'],
];

const roleOptions = roles.map(([role]) => [role, role]);

/** @param {string} chosen @returns {Role} */
function roleOf(chosen) {
  return roles.find(([role]) => role === chosen)?.[0] ?? 'read-only';
}

/** @param {Role} role */
function permissionsOf(role) {
  return roles.find(([one]) => one === role)?.[1] ?? '';
}

/** The named administrators, for owners. */
export function AdministratorsView() {
  const admin = useAdmin();
  const { result, error, reload } = useQuery(() => admin.call('listAdministrators', {}), []);
  const [creating, setCreating] = useState(false);
  const [edited, setEdited] = useState(/** @type {Administrator | null} */ (null));
  const [rotated, setRotated] = useState(/** @type {Administrator | null} */ (null));
  const self = admin.identity?.administratorId ?? null;
  /** @type {import('../shared/table.js').Column<Administrator>[]} */
  const columns = [
    {
      title: 'Name',
      narrow: 'main',
      wide: true,
      cell: ({ name, administratorId }) =>
        html`<span class="wrap"><strong>${name}</strong>${administratorId === self ? html` <span class="quiet small">you</span>` : ''}</span>`,
    },
    {
      title: 'Role',
      narrow: 'bare',
      cell: ({ role }) => html`<span class="badge ${role === 'owner' ? 'info' : ''}">${role}</span>`,
    },
    {
      title: 'Last used',
      cell: ({ lastUsedAt }) => html`<${TimeCell} at=${lastUsedAt} none="never" />`,
    },
    {
      title: 'Expires',
      cell: ({ expiresAt }) =>
        expiresAt !== null && expiresAt <= Date.now()
          ? html`<span class="badge bad">expired</span>`
          : html`<${TimeCell} at=${expiresAt} none="never" />`,
    },
    {
      title: 'Actions',
      hidden: true,
      cell: (one) => html`
        <span class="row-buttons">
          <${Button} size="small" aria-label="Edit ${one.name}" onClick=${() => setEdited(one)}>Edit<//>
          <${Button} size="small" aria-label="New token for ${one.name}" onClick=${() => setRotated(one)}>New token<//>
          ${
            one.administratorId !== self &&
            html`
              <${ConfirmButton}
                needs="revokeAdministrator"
                label="Revoke ${one.name}"
                icon="trash"
                iconOnly
                kind="plain"
                title="Revoke ${one.name}?"
                confirm="Revoke"
                act=${() => admin.call('revokeAdministrator', { administratorId: one.administratorId })}
                done="${one.name} revoked"
                reload=${reload}
              >
                <p>The token is rejected immediately, on every node, and open consoles are signed out. The audit log keeps the name.</p>
              <//>
            `
          }
        </span>
      `,
    },
  ];
  return html`
    <${PageHead} title="Administrators">
      <${Button} kind="primary" onClick=${() => setCreating(true)}><${Icon} name="plus" />New administrator<//>
    <//>
    <div class="stacked-cards">
      <section class="card" aria-label="Administrators">
        <${Table}
          caption="Administrators, by name"
          columns=${columns}
          rows=${result?.administrators}
          keyOf=${(/** @type {Administrator} */ { administratorId }) => administratorId}
          error=${error}
          onRetry=${reload}
          empty=${html`<${Empty} icon="key" title="No named administrators yet"><p>Give each person a separate token: it can be revoked individually, and the audit log shows the name.</p><//>`}
        />
      </section>
      <section class="card" aria-labelledby="roles">
        <div class="card-head"><h2 id="roles">Roles</h2></div>
        <div class="card-body form">
          <dl class="role-list">
            ${roles.map(([role, may]) => html`<dt key=${role}><span class="badge ${role === 'owner' ? 'info' : ''}">${role}</span></dt><dd>${may}</dd>`)}
          </dl>
          <p class="quiet small">Anyone with the admin token (printed when the server first started, or set in ADMIN_TOKEN) is always an owner.</p>
        </div>
      </section>
    </div>
    ${creating && html`<${Create} onClose=${() => setCreating(false)} onCreated=${reload} />`}
    ${edited && html`<${Edit} administrator=${edited} isSelf=${edited.administratorId === self} onClose=${() => setEdited(null)} onChanged=${reload} />`}
    ${rotated && html`<${Rotate} administrator=${rotated} isSelf=${rotated.administratorId === self} onClose=${() => setRotated(null)} onChanged=${reload} />`}
  `;
}

/** @param {{ onClose: () => void, onCreated: () => void }} props */
function Create({ onClose, onCreated }) {
  const admin = useAdmin();
  const [name, setName] = useState('');
  const [role, setRole] = useState(/** @type {Role} */ ('moderator'));
  const [days, setDays] = useState('');
  const { busy, error, submit } = useSubmit();
  const [token, setToken] = useState('');
  const create = submit(async () => {
    const input = { name: name.trim(), role, ...(days && { lifetimeDays: Number(days) }) };
    setToken((await admin.call('createAdministrator', input)).token);
    onCreated();
  });
  if (token) return html`<${TokenOnce} name=${name.trim()} token=${token} onClose=${onClose} />`;
  return html`
    <${Dialog}
      title="New administrator"
      onClose=${onClose}
      actions=${html`<${Button} onClick=${onClose}>Cancel<//><${Button} kind="primary" type="submit" form="new-administrator" busy=${busy}>Create<//>`}
    >
      <form id="new-administrator" class="form" onSubmit=${create}>
        <${TextField} label="Name" required maxlength=${60} value=${name} onValue=${setName} problem=${problemAt(error, 'name')} hint="Shown in the audit log, such as Ada or ada@studio.example." />
        <${SelectField} label="Role" value=${role} onValue=${(/** @type {string} */ chosen) => setRole(roleOf(chosen))} options=${roleOptions} hint=${permissionsOf(role)} />
        <${SelectField} label="Token expires" value=${days} onValue=${setDays} options=${lifetimes} />
        <${FormProblem} error=${error} fields=${['name', 'role', 'lifetimeDays']} />
      </form>
    <//>
  `;
}

/** @param {{ administrator: Administrator, isSelf: boolean, onClose: () => void, onChanged: () => void }} props */
function Edit({ administrator, isSelf, onClose, onChanged }) {
  const admin = useAdmin();
  const { administratorId } = administrator;
  const [name, setName] = useState(administrator.name);
  const [role, setRole] = useState(administrator.role);
  const { busy, error, submit } = useSubmit();
  const save = submit(async () => {
    // Someone else may have changed the other field meanwhile.
    const changes = changedFields(administrator, { name: name.trim(), role });
    await admin.call('updateAdministrator', { administratorId, ...changes });
    toast(`${name.trim()} saved`, 'success');
    if (isSelf) admin.refreshIdentity();
    onChanged();
    onClose();
  });
  return html`
    <${Dialog}
      title="Edit ${administrator.name}"
      onClose=${onClose}
      actions=${html`<${Button} onClick=${onClose}>Cancel<//><${Button} kind="primary" type="submit" form="edit-administrator" busy=${busy}>Save<//>`}
    >
      <form id="edit-administrator" class="form" onSubmit=${save}>
        <${TextField} label="Name" required maxlength=${60} value=${name} onValue=${setName} problem=${problemAt(error, 'name')} hint="Earlier entries of the audit log keep the earlier name." />
        ${
          isSelf
            ? html`<p class="quiet small">Your role is ${role}. Only another owner can change it.</p>`
            : html`<${SelectField} label="Role" value=${role} onValue=${(/** @type {string} */ chosen) => setRole(roleOf(chosen))} options=${roleOptions} hint="${permissionsOf(role)} Takes effect immediately." />`
        }
        <${FormProblem} error=${error} fields=${['name', 'role']} />
      </form>
    <//>
  `;
}

/** @param {{ administrator: Administrator, isSelf: boolean, onClose: () => void, onChanged: () => void }} props */
function Rotate({ administrator, isSelf, onClose, onChanged }) {
  const admin = useAdmin();
  const { administratorId, name } = administrator;
  const [days, setDays] = useState('');
  const { busy, error, submit } = useSubmit();
  const [token, setToken] = useState('');
  const rotate = submit(async () => {
    const input = { administratorId, ...(days && { lifetimeDays: Number(days) }) };
    const { token: newToken } = await admin.call('rotateAdministratorToken', input);
    if (isSelf) admin.adopt(newToken);
    setToken(newToken);
    onChanged();
  });
  if (token) return html`<${TokenOnce} name=${name} token=${token} onClose=${onClose} />`;
  return html`
    <${Dialog}
      title="New token for ${name}"
      onClose=${onClose}
      actions=${html`<${Button} onClick=${onClose}>Cancel<//><${Button} kind="primary" type="submit" form="rotate-token" busy=${busy}>Create token<//>`}
    >
      <form id="rotate-token" class="form" onSubmit=${rotate}>
        <p>The current token is rejected immediately.</p>
        <${SelectField} label="Token expires" value=${days} onValue=${setDays} options=${lifetimes} />
        <${FormProblem} error=${error} fields=${['lifetimeDays']} />
      </form>
    <//>
  `;
}

/** @param {{ name: string, token: string, onClose: () => void }} props */
function TokenOnce({ name, token, onClose }) {
  return html`
    <${Dialog} title="Token of ${name}" stays onClose=${onClose} actions=${html`<${Button} kind="primary" onClick=${onClose}>Done<//>`}>
      <p>${name} signs in to the console with it, and calls <code>/admin</code>. Send it over a secure channel.</p>
      <${SecretOnce} secret=${token} kind="token" />
    <//>
  `;
}

/** The state of a form that is submitted once at a time, with the error of the last attempt. */
function useSubmit() {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState(/** @type {unknown} */ (null));
  /**
   * @param {() => Promise<void>} act
   * @returns {(event: Event) => Promise<void>}
   */
  const submit = (act) => async (event) => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      await act();
    } catch (failed) {
      setError(failed);
    }
    setBusy(false);
  };
  return { busy, error, submit };
}
