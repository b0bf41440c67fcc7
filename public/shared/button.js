import { html } from 'htm/preact';

/**
 * A button; while `busy` it shows a spinner and is disabled.
 * @param {{
 *   children?: import('preact').ComponentChildren,
 *   onClick?: (event: MouseEvent) => void,
 *   kind?: 'primary' | 'danger' | 'plain' | '',
 *   size?: 'small' | '',
 *   wide?: boolean,
 *   type?: 'button' | 'submit',
 *   busy?: boolean,
 *   disabled?: boolean,
 *   iconOnly?: boolean,
 *   label?: string,
 *   [attribute: string]: unknown,
 * }} props `label` is the accessible name of an icon-only button
 */
export function Button({
  children,
  kind = '',
  size = '',
  wide,
  type = 'button',
  busy,
  disabled,
  iconOnly,
  label,
  ...rest
}) {
  const classes = ['button', kind, size, iconOnly && 'icon-only', wide && 'wide'].filter(Boolean).join(' ');
  return html`
    <button
      ...${rest}
      type=${type}
      class=${classes}
      disabled=${disabled || busy}
      aria-busy=${busy ? 'true' : undefined}
      aria-label=${label ?? rest['aria-label']}
      title=${label}
    >
      ${busy && html`<span class="spinner" aria-hidden="true"></span>`}
      ${busy && iconOnly ? null : children}
    </button>
  `;
}
