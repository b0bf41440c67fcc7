import { html } from 'htm/preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { ApiError } from '../shared/api.js';
import { Button } from '../shared/button.js';
import { Icon } from '../shared/icon.js';
import { useChanges } from '../shared/observable.js';
import { ErrorState, LoadingRows, messageOf } from '../shared/states.js';
import { toast } from '../shared/toasts.js';
import { useAdmin } from './admin.js';
import { useAnswer } from './answers.js';
import { ConfirmButton } from './confirm-button.js';
import { DryRun } from './dry-run.js';
import { TextField } from './fields.js';
import { lineOf, placeOf } from './json-places.js';
import { RuleHelp } from './rule-help.js';
import { useSettled } from './use-settled.js';

/** @typedef {readonly import('../../src/rules/rule.ts').Rule[]} Rules as they were written: not checked yet */
/** @typedef {Pick<import('./admin.js').Output<'getRules'>, 'rules' | 'version'>} Stored */
/** @typedef {{ message: string, start: number, line: number }} Problem */
/** @typedef {{ rules: Rules | null, problems: Problem[] }} Read */

/** A trigger that no rule has: asked for it, the server checks rules and judges none. */
const noTrigger = '\u0000';
const nobody = `0x${'0'.repeat(40)}`;

/**
 * A game's rules: written, checked as one writes, tried, stored.
 * @param {{ game: import('./game-view.js').Game }} props
 */
export function RulesView({ game }) {
  const admin = useAdmin();
  const { gameId } = game;
  const { answer, error, reload } = useAnswer(() => admin.call('getRules', { gameId }), [gameId]);
  if (answer === undefined) {
    return error
      ? html`<${ErrorState} error=${error} onRetry=${reload} />`
      : html`<${LoadingRows} label="Loading the rules" />`;
  }
  return html`<${Editor} game=${game} stored=${answer} reload=${reload} />`;
}

/**
 * Works on from the version it began with. One that is stored meanwhile takes its place where nothing was
 * typed; where something was, whoever typed it chooses.
 * @param {{ game: import('./game-view.js').Game, stored: Stored, reload: () => void }} props `stored`: as last read
 */
function Editor({ game, stored, reload }) {
  const admin = useAdmin();
  const { gameId } = game;
  const [base, setBase] = useState(stored);
  const before = useMemo(() => textOf(base.rules), [base]);
  const [text, setText] = useState(before);
  const [busy, setBusy] = useState(false);
  const area = useRef(/** @type {HTMLDivElement | null} */ (null));
  const { rules, problems, checking } = useCheck(gameId, text);
  const changed = text !== before;
  const outdated = stored.version > base.version;
  /** @param {Stored} now */
  const load = (now) => {
    setBase(now);
    setText(textOf(now.rules));
  };
  useEffect(() => {
    if (outdated && !changed) load(stored);
  }, [outdated, changed, stored]);
  useWarning(changed);
  /** @param {Problem} problem */
  const show = ({ start, line }) => {
    const field = area.current?.querySelector('textarea');
    if (!field) return;
    field.focus();
    field.setSelectionRange(
      start,
      text.indexOf('\n', start) === -1 ? text.length : text.indexOf('\n', start),
    );
    field.scrollTop = Math.max(0, line - 4) * Number.parseFloat(getComputedStyle(field).lineHeight);
  };
  const store = async () => {
    if (rules === null) return;
    setBusy(true);
    try {
      // setRules replaces whatever version there is, so it is looked first; between the two, another may still come.
      const { version } = await admin.call('getRules', { gameId });
      if (version > base.version) {
        toast('Not stored: a newer version was stored meanwhile', 'error');
      } else {
        const now = await admin.call('setRules', { gameId, rules });
        setBase(now);
        // What was typed since stays.
        setText((typed) => (typed === text ? textOf(now.rules) : typed));
        toast('The rules are stored, and hold from now on', 'success');
      }
      reload();
    } catch (failed) {
      toast(messageOf(failed), 'error');
    }
    setBusy(false);
  };
  /** @param {Record<string, unknown>} action */
  const addRule = (action) => {
    const known = Array.isArray(rules) ? rules : parsed(text);
    if (!Array.isArray(known)) return toast('Mend the JSON first: then a rule can be added to it', 'error');
    setText(textOf([...known, { trigger: 'win', actions: [action] }]));
    toast(`A rule with ${action.type} is added at the end`);
  };
  return html`
    <div class="rules">
      <section class="card" aria-labelledby="rules-title">
        <div class="card-head">
          <h2 id="rules-title">Rules</h2>
          <span class="quiet small">${base.version === 0 ? 'None were stored yet' : `Version ${base.version}`}</span>
        </div>
        <div class="card-body form">
          <div ref=${area}>
            <${TextField}
              label="Rules as a JSON list"
              class="input mono code-area"
              rows=${16}
              spellcheck=${false}
              autocapitalize="off"
              value=${text}
              onValue=${setText}
              hint="Tab moves on, as everywhere. Checked as you type; nothing is stored until you say so."
            />
          </div>
          <div class="problems" role="status">
            ${
              problems.length > 0
                ? html`
                    <ul role="list">
                      ${problems.map(
                        (problem) => html`
                          <li key=${`${problem.start} ${problem.message}`}>
                            <button type="button" class="problem-line" onClick=${() => show(problem)}><${Icon} name="alert" /><span><strong>Line ${problem.line}</strong> ${problem.message}</span></button>
                          </li>
                        `,
                      )}
                    </ul>
                  `
                : html`<p class=${checking ? 'quiet' : 'fine'}>${checking ? 'Checking…' : html`<${Icon} name="check" /> ${ruleCount(rules)}, and the server would take them.`}</p>`
            }
          </div>
          ${
            outdated &&
            changed &&
            html`
              <div class="banner warn">
                <span role="alert"><strong>Version ${stored.version} was stored meanwhile.</strong> What you typed is here still, and not stored.</span>
                <${ConfirmButton} label="Load version ${stored.version}" title="Load version ${stored.version}?" confirm="Load" act=${async () => load(stored)} done="Version ${stored.version} is loaded">
                  <p>The editor shows what is stored now. What you wrote is lost.</p>
                <//>
                <${Button} size="small" onClick=${() => setBase(stored)}>Go on with mine<//>
              </div>
            `
          }
          <div class="form-end">
            ${
              changed &&
              html`
                <${ConfirmButton} label="Discard changes" kind="plain" title="Discard what you changed?" confirm="Discard" act=${async () => setText(before)} done="Back to what is stored">
                  <p>The editor shows again what is stored. What you wrote is lost.</p>
                <//>
              `
            }
            <${Button} kind="primary" busy=${busy} disabled=${!changed || outdated || rules === null || problems.length > 0 || checking} onClick=${store}>Store the rules<//>
          </div>
        </div>
      </section>
      <div class="rules-side">
        <${DryRun} game=${game} rules=${problems.length > 0 ? null : rules} />
        <${RuleHelp} onAdd=${addRule} />
      </div>
    </div>
  `;
}

/**
 * What a text says, and what is wrong with it: as JSON at once, as rules when the server has looked. It is
 * asked again when it has come back, for until then its being away stands there as the problem.
 * @param {string} gameId
 * @param {string} text
 * @returns {Read & { checking: boolean }}
 */
function useCheck(gameId, text) {
  const admin = useAdmin();
  useChanges(admin);
  const settled = useSettled(text, 400);
  const read = useMemo(() => readText(text), [text]);
  const [checked, setChecked] = useState({ text: '', problems: /** @type {Problem[]} */ ([]) });
  useEffect(() => {
    const { rules } = readText(settled);
    if (rules === null) return;
    let wanted = true;
    const tell = (/** @type {Problem[]} */ problems) => wanted && setChecked({ text: settled, problems });
    admin.call('testRules', { gameId, wallet: nobody, trigger: noTrigger, rules }).then(
      () => tell([]),
      (error) => tell(problemsOf(error, settled)),
    );
    return () => {
      wanted = false;
    };
  }, [settled, gameId, admin.returns]);
  if (read.rules === null) return { ...read, checking: false };
  return {
    rules: read.rules,
    problems: checked.text === text ? checked.problems : [],
    checking: checked.text !== text,
  };
}

/**
 * @param {string} text
 * @returns {Read}
 */
function readText(text) {
  try {
    const rules = JSON.parse(text);
    if (Array.isArray(rules)) return { rules, problems: [] };
    return { rules: null, problems: [{ message: 'must be a list: [ … ]', start: 0, line: 1 }] };
  } catch (error) {
    const message = messageOf(error);
    // V8 names the place; where another engine does not, it is looked for from the end.
    const position = Number(/position (\d+)/.exec(message)?.[1] ?? text.length);
    return {
      rules: null,
      problems: [
        {
          message: message.replace(/ in JSON at position.*$| \(line \d+ column \d+\)$/g, ''),
          start: position,
          line: lineOf(text, position),
        },
      ],
    };
  }
}

/**
 * What the server says of rules, at the lines it says it of.
 * @param {unknown} error
 * @param {string} text
 * @returns {Problem[]}
 */
function problemsOf(error, text) {
  if (!(error instanceof ApiError) || error.errors.length === 0)
    return [{ message: messageOf(error), start: 0, line: 1 }];
  return error.errors.map(({ path, message }) => {
    const [, ...inside] = path.split('.');
    const { start } = placeOf(text, inside);
    return {
      message: inside.length > 0 ? `${inside.slice(1).join('.') || 'the rule'}: ${message}` : message,
      start,
      line: lineOf(text, start),
    };
  });
}

/** @param {readonly unknown[]} rules */
function textOf(rules) {
  return JSON.stringify(rules, null, 2);
}

/** @param {string} text @returns {unknown} */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** @param {Rules | null} rules */
function ruleCount(rules) {
  const count = rules?.length ?? 0;
  return count === 0 ? 'No rules' : count === 1 ? 'One rule' : `${count} rules`;
}

/** The browser asks before what was written is lost. @param {boolean} changed */
function useWarning(changed) {
  useEffect(() => {
    if (!changed) return;
    const warn = (/** @type {BeforeUnloadEvent} */ event) => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [changed]);
}
