import { html } from 'htm/preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { ApiError } from '../shared/api.js';
import { Button } from '../shared/button.js';
import { Icon } from '../shared/icon.js';
import { useChanges } from '../shared/observable.js';
import { ErrorState, LoadingRows, messageOf } from '../shared/states.js';
import { toast } from '../shared/toasts.js';
import { useAdmin } from './admin.js';
import { ConfirmButton } from './confirm-button.js';
import { draftKey, drafts, useDraft } from './drafts.js';
import { DryRun } from './dry-run.js';
import { roundingProblem } from './fields.js';
import { JsonEditor } from './json-editor.js';
import { lineOf, positionOf } from './json-positions.js';
import { JsonView } from './json-view.js';
import { useQuery } from './queries.js';
import { RuleReference } from './rule-reference.js';
import { useDebounced } from './use-debounced.js';

/** @typedef {readonly import('../../src/features/rules/rule.ts').Rule[]} Rules as typed, not validated yet */
/** @typedef {Pick<import('./admin.js').Output<'getRules'>, 'rules' | 'version'>} Stored */
/** @typedef {{ message: string, start: number, line: number }} Problem */
/** @typedef {{ rules: Rules | null, problems: Problem[] }} ParsedText */
/** @typedef {{ base: Stored, text: string }} Draft `base`: the version it is based on */

/** A trigger that no rule has: with it, `testRules` validates the rules and evaluates none. */
const unusedTrigger = '\u0000';
const zeroAddress = `0x${'0'.repeat(40)}`;

/**
 * The editor of a game's rules: validated while typing, dry-run, saved.
 * @param {{ game: import('./game-view.js').Game }} props
 */
export function RulesView({ game }) {
  const admin = useAdmin();
  const { gameId } = game;
  const { result, error, reload } = useQuery(() => admin.call('getRules', { gameId }), [gameId]);
  if (result === undefined) {
    return error
      ? html`<${ErrorState} error=${error} onRetry=${reload} />`
      : html`<${LoadingRows} label="Loading rules" />`;
  }
  // The editor validates on the server while typing, which requires the permission to save.
  if (!admin.may('setRules')) {
    return html`
      <section class="card" aria-labelledby="rules-title">
        <div class="card-head"><h2 id="rules-title">Rules</h2><span class="quiet small">Version ${result.version}</span></div>
        <div class="card-body form">
          <${JsonView} value=${result.rules} label="Rules" />
          <p class="quiet small">Your role cannot change rules.</p>
        </div>
      </section>
    `;
  }
  return html`<${Editor} game=${game} stored=${result} reload=${reload} />`;
}

/**
 * Edits the version it was opened with, or continues an unsaved draft. A version saved by someone else in the meantime
 * replaces it when there are no unsaved changes; otherwise the user chooses.
 * @param {{ game: import('./game-view.js').Game, stored: Stored, reload: () => void }} props `stored`: as last read
 */
function Editor({ game, stored, reload }) {
  const admin = useAdmin();
  const { gameId } = game;
  const key = draftKey(gameId, 'rules', 'rules');
  const [draft] = useState(() => /** @type {Draft | undefined} */ (drafts.get(key)));
  const [base, setBase] = useState(draft?.base ?? stored);
  const before = useMemo(() => textOf(base.rules), [base]);
  const [text, setText] = useState(draft?.text ?? before);
  const [busy, setBusy] = useState(false);
  const editor = useRef(/** @type {import('./json-editor.js').EditorHandle | null} */ (null));
  const { rules, problems, checking } = useValidation(gameId, text);
  const changed = text !== before;
  const outdated = stored.version > base.version;
  /** @param {Stored} now */
  const load = (now) => {
    setBase(now);
    setText(textOf(now.rules));
  };
  useEffect(() => {
    // These changes may be what was saved: the response was lost with the connection.
    const isSaved = rules !== null && textOf(rules) === textOf(stored.rules);
    if (outdated && (!changed || isSaved)) load(stored);
  }, [outdated, changed, stored]);
  useDraft(key, changed ? { base, text } : undefined);
  /** @param {Problem} problem */
  const show = ({ start }) => editor.current?.select(start, endOfLine(text, start));
  const save = async () => {
    if (rules === null) return;
    setBusy(true);
    try {
      const now = await admin.call('setRules', { gameId, rules, version: base.version });
      setBase(now);
      // Keeps text typed since then.
      setText((typed) => (typed === text ? textOf(now.rules) : typed));
      toast('Rules saved', 'success');
      reload();
    } catch (failed) {
      reload(); // a newer version may be the cause
      toast(messageOf(failed), 'error');
    }
    setBusy(false);
  };
  /** @param {Record<string, unknown>} action */
  const addRule = (action) => {
    if (rules === null) return toast('Fix the JSON first', 'error');
    setText(textOf([...rules, { trigger: 'win', actions: [action] }]));
    toast(`Rule with ${action.type} appended`);
  };
  return html`
    <div class="rules">
      <section class="card" aria-labelledby="rules-title">
        <div class="card-head">
          <h2 id="rules-title">Rules</h2>
          <span class="button-row">
            ${changed && html`<span class="badge warn">Unsaved changes</span>`}
            <span class="quiet small">${base.version === 0 ? 'No version saved yet' : `Version ${base.version}`}</span>
          </span>
        </div>
        <div class="card-body form">
          <${JsonEditor}
            label="Rules (JSON array)"
            value=${text}
            onValue=${setText}
            marks=${problems.map(({ start, message }) => ({ start, end: endOfLine(text, start), message }))}
            handle=${editor}
            hint="Validated as you type; changes take effect when you save them. Tab indents; Escape, then Tab, leaves the editor."
          />
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
                : html`<p class=${checking ? 'quiet' : 'fine'}>${checking ? 'Validating…' : html`<${Icon} name="check" /> ${ruleCount(rules)}, valid`}</p>`
            }
          </div>
          ${
            outdated &&
            changed &&
            html`
              <div class="banner warn">
                <span role="alert"><strong>Version ${stored.version} was saved in the meantime.</strong> Your changes are not saved.</span>
                <${ConfirmButton} label="Load version ${stored.version}" title="Load version ${stored.version}?" confirm="Load" act=${async () => load(stored)} done="Version ${stored.version} loaded">
                  <p>The editor shows the saved version. Your changes are lost.</p>
                <//>
                <${Button} size="small" onClick=${() => setBase(stored)}>Keep my changes<//>
              </div>
            `
          }
          <div class="form-end">
            ${
              changed &&
              html`
                <${ConfirmButton} label="Discard changes" kind="plain" title="Discard your changes?" confirm="Discard" act=${async () => setText(before)} done="Changes discarded">
                  <p>The editor shows the saved version. Your changes are lost.</p>
                <//>
              `
            }
            <${Button} kind="primary" busy=${busy} disabled=${!changed || outdated || rules === null || problems.length > 0 || checking} onClick=${save}>Save rules<//>
          </div>
        </div>
      </section>
      <div class="rules-side">
        <${DryRun} game=${game} rules=${problems.length > 0 ? null : rules} />
        <${RuleReference} onAdd=${addRule} />
      </div>
    </div>
  `;
}

/**
 * The rules in a text, and its problems: JSON syntax at once, the rules once the server has validated them. They
 * are validated again after a reconnect, because until then the failed request is shown as the problem.
 * @param {string} gameId
 * @param {string} text
 * @returns {ParsedText & { checking: boolean }}
 */
function useValidation(gameId, text) {
  const admin = useAdmin();
  useChanges(admin);
  const settled = useDebounced(text, 400);
  const read = useMemo(() => parseText(text), [text]);
  const [checked, setChecked] = useState({ text: '', problems: /** @type {Problem[]} */ ([]) });
  useEffect(() => {
    const { rules } = parseText(settled);
    if (rules === null) return;
    let cancelled = false;
    const report = (/** @type {Problem[]} */ problems) =>
      !cancelled && setChecked({ text: settled, problems });
    admin.call('testRules', { gameId, wallet: zeroAddress, trigger: unusedTrigger, rules }).then(
      () => report([]),
      (error) => report(problemsOf(error, settled)),
    );
    return () => {
      cancelled = true;
    };
  }, [settled, gameId, admin.reconnects]);
  if (read.rules === null) return { ...read, checking: false };
  return {
    rules: read.rules,
    problems: checked.text === text ? checked.problems : [],
    checking: checked.text !== text,
  };
}

/**
 * @param {string} text
 * @returns {ParsedText}
 */
function parseText(text) {
  try {
    const rules = JSON.parse(text);
    if (!Array.isArray(rules))
      return { rules: null, problems: [{ message: 'must be an array: [ … ]', start: 0, line: 1 }] };
    const rounding = roundingProblem(text);
    if (rounding === null) return { rules, problems: [] };
    return { rules: null, problems: [{ ...rounding, line: lineOf(text, rounding.start) }] };
  } catch (error) {
    const message = messageOf(error);
    // V8 reports the position; for other engines, the end of the text is used.
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
 * The server's validation errors, with the lines they are about.
 * @param {unknown} error
 * @param {string} text
 * @returns {Problem[]}
 */
function problemsOf(error, text) {
  if (!(error instanceof ApiError) || error.errors.length === 0)
    return [{ message: messageOf(error), start: 0, line: 1 }];
  return error.errors.map(({ path, message }) => {
    const [, ...inside] = path.split('.');
    const { start } = positionOf(text, inside);
    return {
      message: inside.length > 0 ? `${inside.slice(1).join('.') || 'rule'}: ${message}` : message,
      start,
      line: lineOf(text, start),
    };
  });
}

/** The end of the line an offset is on. @param {string} text @param {number} offset */
function endOfLine(text, offset) {
  const end = text.indexOf('\n', offset);
  return end === -1 ? text.length : end;
}

/** @param {readonly unknown[]} rules */
function textOf(rules) {
  return JSON.stringify(rules, null, 2);
}

/** @param {Rules | null} rules */
function ruleCount(rules) {
  const count = rules?.length ?? 0;
  return count === 0 ? 'No rules' : count === 1 ? '1 rule' : `${count} rules`;
}
