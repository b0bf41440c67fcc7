import { useAdmin } from './admin.js';

/**
 * Shows its children to administrators whose role may call the operation, and `instead` to others. The server enforces
 * this independently.
 * @param {{
 *   to: import('./admin.js').OperationName,
 *   children?: import('preact').ComponentChildren,
 *   instead?: import('preact').ComponentChildren,
 * }} props
 */
export function Allowed({ to, children, instead = null }) {
  return useAdmin().may(to) ? children : instead;
}
