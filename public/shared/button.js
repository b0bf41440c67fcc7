import { html } from 'htm/preact';

/**
 * A button; while `busy` it shows a spinner and does nothing, but keeps the focus, which a disabled one would lose.
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
  onClick,
  ...rest
}) {
  const classes = ['button', kind, size, iconOnly && 'icon-only', wide && 'wide'].filter(Boolean).join(' ');
  return html`
    <button
      ...${rest}
      type=${type}
      class=${classes}
      disabled=${disabled}
      aria-disabled=${busy ? 'true' : undefined}
      aria-busy=${busy ? 'true' : undefined}
      aria-label=${label ?? rest['aria-label']}
      title=${label}
      onClick=${busy ? ignore : onClick}
    >
      ${busy && html`<span class="spinner" aria-hidden="true"></span>`}
      ${busy && iconOnly ? null : children}
    </button>
  `;
}

/** Nor is the form submitted, also by Enter in a field. @param {Event} event */
function ignore(event) {
  event.preventDefault();
}
