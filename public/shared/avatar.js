import { html } from 'htm/preact';

/**
 * A player's avatar. An avatar on another server is not fetched, because that would reveal the viewer to that server;
 * the wallet's identicon is shown instead.
 * @param {{ wallet: string, url?: string | undefined, small?: boolean, present?: boolean | string | undefined }} props
 *   when `present` is given, a dot shows whether the player is online, `away` or `busy`
 */
export function Avatar({ wallet, url, small, present }) {
  return html`
    <span class="avatar ${small ? 'small' : ''}">
      <img src=${isSameOrigin(url) ? url : `/avatars/${wallet}.svg`} alt="" width="36" height="36" loading="lazy" />
      ${present !== undefined && html`<span class="dot ${present === true ? 'present' : present || ''}"></span>`}
    </span>
  `;
}

/** @param {string | undefined} url */
function isSameOrigin(url) {
  return url !== undefined && URL.parse(url, location.href)?.origin === location.origin;
}
