import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { Button } from '../shared/button.js';
import { ConfirmDialog } from '../shared/dialog.js';
import { Icon } from '../shared/icon.js';
import { toast } from '../shared/toasts.js';
import { useAdmin } from './admin.js';
import { problemOf } from './fields.js';

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
 *   reload?: () => void,
 * }} props `needs` is the operation it calls: the button is hidden from roles that may not; `label` is the accessible
 *   name, `text` a shorter visible one; `title` is the question; `confirm` the label of the confirming button, a verb;
 *   `done` the toast afterwards; `reload` loads what the view shows again, when it is done, and after a refusal: someone
 *   else may have done it meanwhile
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
  reload,
}) {
  const admin = useAdmin();
  const [asking, setAsking] = useState(false);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState('');
  const ask = () => {
    setProblem('');
    setAsking(true);
  };
  const close = () => {
    if (busy) return;
    setAsking(false);
    if (problem) reload?.(); // not earlier: this button may vanish, and the message with it
  };
  const run = async () => {
    setBusy(true);
    setProblem('');
    try {
      await act();
      setAsking(false);
      toast(done, 'success');
      onDone?.();
      reload?.();
    } catch (error) {
      setProblem(problemOf(error));
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
        <${ConfirmDialog} title=${title} confirm=${confirm} kind=${confirmKind} busy=${busy} onConfirm=${run} onClose=${close}>
          ${children}
          ${problem && html`<p class="banner bad" role="alert">${problem}</p>`}
        <//>
      `
    }
  `;
}
