import type { HLJSApi } from 'highlight.js';
import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import csharp from 'highlight.js/lib/languages/csharp';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import powershell from 'highlight.js/lib/languages/powershell';
import python from 'highlight.js/lib/languages/python';
import sql from 'highlight.js/lib/languages/sql';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';
import type { Tokens } from 'marked';

const grammars = {
  // Without built-ins: it takes the arguments of `npm test` and `gantry rules set` for some.
  sh: (api: HLJSApi) => {
    const { keywords, ...grammar } = bash(api);
    return { ...grammar, keywords: { ...Object(keywords), built_in: [] } };
  },
  csharp,
  html: xml,
  js: javascript,
  json,
  powershell,
  python,
  sql,
  ts: typescript,
  yaml,
};
for (const [name, grammar] of Object.entries(grammars)) hljs.registerLanguage(name, grammar);
// There is no grammar for it in the library; it reads as Python with other keywords.
hljs.registerLanguage('gdscript', (api) => ({
  ...python(api),
  keywords: {
    keyword:
      'and as await class class_name const elif else enum export extends for func if in is match not onready or pass preload return self setget signal static var while yield',
    literal: 'false null true',
  },
}));

/** The languages among which a reader chooses, with the names of their tabs. */
const tabs: Readonly<Record<string, string>> = {
  js: 'JavaScript',
  csharp: 'C#',
  gdscript: 'GDScript',
  python: 'Python',
  sh: 'Shell',
  powershell: 'PowerShell',
};

/** A block of code as HTML. */
export function renderCode({ text, lang: info = '' }: Pick<Tokens.Code, 'text' | 'lang'>): string {
  const language = languageOf(info);
  const code = hljs.getLanguage(language)
    ? hljs.highlight(text, { language }).value
    : text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<div class="snippet" data-language="${language}"><pre class="code" tabindex="0"><code>${code}</code></pre></div>\n`;
}

/** Whether blocks that follow each other say the same in several languages, so that a reader wants one of them. */
export function areAlternatives(blocks: readonly Tokens.Code[]): boolean {
  const languages = blocks.map(({ lang = '' }) => languageOf(lang));
  return (
    languages.length > 1 &&
    new Set(languages).size === languages.length &&
    languages.every((language) => language in tabs)
  );
}

/**
 * Blocks in several languages with a tab each, which work without a script.
 * @param name unique in its document
 */
export function renderAlternatives(blocks: readonly Tokens.Code[], name: string): string {
  const choices = blocks.map(({ lang = '' }, at) => {
    const language = languageOf(lang);
    const checked = at === 0 ? ' checked' : '';
    return `<label><input type="radio" name="${name}" value="${language}"${checked} />${tabs[language]}</label>`;
  });
  return `<div class="alternatives"><fieldset><legend class="visually-hidden">Language</legend>${choices.join('')}</fieldset>\n${blocks.map(renderCode).join('')}</div>\n`;
}

/** The first word of the info string; the rest is for tests. */
function languageOf(info: string): string {
  return /^[\w-]*/.exec(info)?.[0] ?? '';
}
