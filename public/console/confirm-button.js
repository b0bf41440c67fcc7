import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { Button } from '../shared/button.js';
import { ConfirmDialog } from '../shared/dialog.js';
import { Icon } from '../shared/icon.js';
import { messageOf } from '../shared/states.js';
import { toast } from '../shared/toasts.js';
import { useAdmin } from './admin.js';

/**
 * A button for an action that cannot be undone or that affects players: it explains the effect, asks for
 * confirmation, and reports success.
 * @param {{
 *   needs?: import('./admin.js').OperationName,
 *   label: string,
 *   text?: string,
 *   icon?: import('../shared/icon.js').IconName,
 *   iconOnly?: boolean,
 *   kind?: 'danger' | 'plain' | '',
 *   confirmKind?: 'danger' | 'primary',
 *   title: string,
 *   children?: import('preact').ComponentChildren,
 *   confirm: string,
 *   act: () => Promise<unknown>,
 *   done: string,
 *   onDone?: () => void,
 * }} props `needs` is the operation it calls: the button is hidden from roles that may not; `label` is the accessible
 *   name, `text` a shorter visible one; `title` is the question; `confirm` the label of the confirming button, a verb;
 *   `done` the toast afterwards
 */
export function ConfirmButton({
  needs,
  label,
  text = label,
  icon,
  iconOnly,
  kind = '',
  confirmKind,
  title,
  children,
  confirm,
  act,
  done,
  onDone,
}) {
  const admin = useAdmin();
  const [asking, setAsking] = useState(false);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState('');
  const ask = () => {
    setProblem('');
    setAsking(true);
  };
  const run = async () => {
    setBusy(true);
    setProblem('');
    try {
      await act();
      setAsking(false);
      toast(done, 'success');
      onDone?.();
    } catch (error) {
      setProblem(messageOf(error));
    }
    setBusy(false);
  };
  if (needs !== undefined && !admin.may(needs)) return null;
  return html`
    <${Button} size="small" kind=${kind} iconOnly=${iconOnly} label=${iconOnly ? label : undefined} aria-label=${text === label ? undefined : label} onClick=${ask}>
      ${icon && html`<${Icon} name=${icon} />`}${iconOnly ? '' : text}
    <//>
    ${
      asking &&
      html`
        <${ConfirmDialog} title=${title} confirm=${confirm} kind=${confirmKind} busy=${busy} onConfirm=${run} onClose=${() => !busy && setAsking(false)}>
          ${children}
          ${problem && html`<p class="banner bad" role="alert">${problem}</p>`}
        <//>
      `
    }
  `;
}
