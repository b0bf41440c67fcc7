import { html } from 'htm/preact';
import { useEffect, useState } from 'preact/hooks';
import { CopyButton } from '../shared/copy-button.js';
import { ErrorState, LoadingRows } from '../shared/states.js';
import { useAdmin } from './admin.js';
import { Chart } from './chart.js';
import { asCount, wholeSteps } from './numbers.js';
import { useQuery } from './queries.js';

/** @typedef {import('./game-view.js').Game} Game */

const pollIntervalMs = 15_000;
const dayMs = 24 * 60 * 60 * 1000;
const shownDays = 14;

/** A game's players, sessions and calls, and how to connect to it. @param {{ game: Game }} props */
export function GameOverview({ game }) {
  return html`<div class="game-overview"><${Activity} game=${game} /><${Connect} game=${game} /></div>`;
}

/** @param {{ game: Game }} props */
function Activity({ game: { gameId } }) {
  const admin = useAdmin();
  const dayStarts = localMidnights();
  const { result, error, reload } = useQuery(
    () => admin.call('getGameStats', { gameId, dayStarts }),
    [gameId, dayStarts[0]],
  );
  useEffect(() => {
    const timer = setInterval(() => document.visibilityState === 'visible' && reload(), pollIntervalMs);
    return () => clearInterval(timer);
  }, []);
  if (result === undefined)
    return error
      ? html`<${ErrorState} error=${error} onRetry=${reload} />`
      : html`<${LoadingRows} label="Loading statistics" />`;
  const { playing, online, days, calls, callsEveryMs } = result;
  const byDay = new Map(days.map((day) => [day.at, day]));
  const all = dayStarts.map((at) => byDay.get(at) ?? { at, sessions: 0, players: 0 });
  const today = all.at(-1);
  const last = calls.at(-1);
  /** @param {string} title @param {readonly [label: string, value: number][]} figures @param {{ times: readonly number[], [prop: string]: unknown }} chart */
  const card = (title, figures, chart) => html`
    <li class="card chart-card">
      <div class="chart-head"><h2>${title}</h2></div>
      <dl class="figures">
        ${figures.map(([label, value]) => html`<div key=${label} class="figure"><dd class="figure-value numeric">${asCount(value)}</dd><dt class="quiet small">${label}</dt></div>`)}
      </dl>
      ${chart.times.length === 0 ? html`<p class="chart no-samples quiet">Nothing yet since this node started.</p>` : html`<${Chart} ...${chart} format=${asCount} steps=${wholeSteps} />`}
    </li>
  `;
  return html`
    <ul role="list" class="charts">
      ${card(
        'Players',
        [
          ['playing now', playing],
          ['online sessions', online],
          ['today', today?.players ?? 0],
        ],
        {
          times: all.map(({ at }) => at / 1000),
          lines: [{ label: 'players', tone: '--good', values: all.map(({ players }) => players) }],
          shownSeconds: (shownDays * dayMs) / 1000,
          stepSeconds: dayMs / 1000,
        },
      )}
      ${card('Sessions opened', [['today', today?.sessions ?? 0]], {
        times: all.map(({ at }) => at / 1000),
        lines: [{ label: 'sessions', tone: '--accent', values: all.map(({ sessions }) => sessions) }],
        shownSeconds: (shownDays * dayMs) / 1000,
        stepSeconds: dayMs / 1000,
      })}
      ${card(
        'Calls to this node, by 10 minutes',
        [
          ['calls', last?.calls ?? 0],
          ['refused', last?.refused ?? 0],
          ['failed', last?.failed ?? 0],
        ],
        {
          times: calls.map(({ at }) => at / 1000),
          lines: [
            { label: 'calls', tone: '--info', values: calls.map((one) => one.calls) },
            { label: 'refused', tone: '--quiet', values: calls.map((one) => one.refused) },
            { label: 'failed', tone: '--bad', values: calls.map((one) => one.failed) },
          ],
          shownSeconds: dayMs / 1000,
          stepSeconds: callsEveryMs / 1000,
        },
      )}
    </ul>
  `;
}

/** When the last days began here, the current one last: not always 24 hours apart. */
function localMidnights() {
  const now = new Date();
  return Array.from({ length: shownDays }, (_, index) =>
    new Date(now.getFullYear(), now.getMonth(), now.getDate() - shownDays + 1 + index).getTime(),
  );
}

/** The game's id, the origins allowed to call, and a snippet per language. @param {{ game: Game }} props */
function Connect({ game }) {
  const [chosen, setChosen] = useState('Browser');
  const snippets = snippetsOf(location.origin, game.slug);
  const text = snippets[chosen] ?? '';
  return html`
    <section class="card" aria-labelledby="connect">
      <div class="card-head"><h2 id="connect">Connect your game</h2></div>
      <div class="card-body form">
        <dl class="facts">
          <div><dt>Game ID</dt><dd class="mono id-line"><span class="truncate">${game.gameId}</span><${CopyButton} text=${game.gameId} label="Copy game ID" /></dd></div>
          <div><dt>Slug</dt><dd class="mono id-line"><span class="truncate">${game.slug}</span><${CopyButton} text=${game.slug} label="Copy slug" /></dd></div>
          <div><dt>Server</dt><dd class="mono id-line"><span class="truncate">${location.origin}</span><${CopyButton} text=${location.origin} label="Copy server URL" /></dd></div>
          <div><dt>Allowed origins</dt><dd class="wrap">${game.allowedOrigins.length > 0 ? `${game.allowedOrigins.join(', ')}, and this server's own pages` : 'any, until some are listed in Settings'}</dd></div>
        </dl>
        <div class="segments" role="group" aria-label="Language">
          ${Object.keys(snippets).map((name) => html`<button key=${name} type="button" class="segment" aria-pressed=${name === chosen ? 'true' : 'false'} onClick=${() => setChosen(name)}>${name}</button>`)}
        </div>
        <div class="snippet"><pre class="code" tabindex="0" aria-label="${chosen} example"><code>${text}</code></pre><${CopyButton} text=${text} label="Copy ${chosen} example" /></div>
        <p class="quiet small">The <a href="/docs/sdks">SDKs</a> are served by this server.</p>
      </div>
    </section>
  `;
}

/**
 * @param {string} url
 * @param {string} game
 * @returns {Readonly<Record<string, string>>}
 */
function snippetsOf(url, game) {
  return {
    Browser: `import { connect } from '${url}/client.js';\n\nconst client = await connect({ url: '${url}', game: '${game}' });\nawait client.api.setUserScore({ score: 1200 });\n`,
    Unity: `var client = await GantryClient.ConnectAsync(new ConnectOptions { Url = "${url}", Game = "${game}" });\nawait client.SetUserScoreAsync(new SetUserScoreInput { Score = 1200 });\n`,
    Godot: `var client = GantryClient.new("${url}"); add_child(client)\nawait client.start({"game": "${game}"}).completed\nawait client.set_user_score(1200).completed\n`,
    Python: `import gantry\n\nclient = gantry.connect("${url}", game="${game}")\nclient.set_user_score(score=1200)\n`,
  };
}
