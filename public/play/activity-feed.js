import { html } from 'htm/preact';
import { Avatar } from '../shared/avatar.js';
import { RelativeTime } from '../shared/relative-time.js';
import { Empty, ErrorState, LoadingRows } from '../shared/states.js';

/**
 * The game's activity feed, live.
 * @param {{ launcher: import('./launcher.js').Launcher, current: import('./open-game.js').OpenGame }} props
 */
export function ActivityFeed({ launcher, current }) {
  const { feed, error } = current.stream;
  if (error !== null) {
    return html`<${ErrorState} error=${error} title="Could not load activities" onRetry=${() => current.stream.follow()} />`;
  }
  if (feed === null) return html`<${LoadingRows} rows=${5} label="Loading activities" />`;
  if (feed.length === 0) {
    return html`<${Empty} icon="bolt" title="No activity yet"><p>Wins, levels and other activities of this game appear here.</p><//>`;
  }
  return html`
    <ul role="list" class="feed" aria-label="Activity">
      ${feed.map(
        ({ key, wallet, text, at, onChain }) => html`
          <li key=${key} class="feed-item">
            <${Avatar} small wallet=${wallet} url=${launcher.players.avatar(wallet)} />
            <div>
              <p>${text}</p>
              <p class="quiet small"><${RelativeTime} at=${at} />${onChain && html` · on-chain`}</p>
            </div>
          </li>
        `,
      )}
    </ul>
  `;
}
