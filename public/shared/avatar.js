import { html } from 'htm/preact';

/**
 * A player's picture. One that lies elsewhere is not fetched, which would tell its server who is looking; the
 * wallet's own pattern stands in.
 * @param {{ wallet: string, url?: string | undefined, small?: boolean, present?: boolean | undefined }} props
 *   `present` given, a dot shows whether the player is there
 */
export function Avatar({ wallet, url, small, present }) {
  return html`
    <span class="avatar ${small ? 'small' : ''}">
      <img src=${isOurs(url) ? url : `/avatars/${wallet}.svg`} alt="" width="36" height="36" loading="lazy" />
      ${present !== undefined && html`<span class="dot ${present ? 'present' : ''}"></span>`}
    </span>
  `;
}

/** @param {string | undefined} url */
function isOurs(url) {
  return url !== undefined && URL.parse(url, location.href)?.origin === location.origin;
}
