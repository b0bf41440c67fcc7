/**
 * @typedef {object} SampleCall
 * @property {string} url with the query
 * @property {'GET' | 'POST'} method
 * @property {Readonly<Record<string, string>>} headers
 * @property {unknown} [body] sent as JSON
 */

/** @typedef {{ id: string, label: string, code: string }} CodeSample */

/**
 * A call in the common languages of games and their servers, ready to paste.
 * @param {SampleCall} call
 * @returns {CodeSample[]}
 */
export function codeSamples(call) {
  return [
    { id: 'curl', label: 'curl', code: curl(call) },
    { id: 'javascript', label: 'JavaScript', code: javascript(call) },
    { id: 'csharp', label: 'C#', code: csharp(call) },
    { id: 'gdscript', label: 'GDScript', code: gdscript(call) },
    { id: 'python', label: 'Python', code: python(call) },
  ];
}

/**
 * A sample for operations on a live connection, which are called over the socket.
 * @param {{ url: string, service: string, operation: string, body: Readonly<Record<string, unknown>> }} call
 * @returns {CodeSample[]}
 */
export function socketSamples({ url, service, operation, body }) {
  const { launcherJwt, ...input } = body;
  const code = `import { io } from 'socket.io-client';

const socket = io('${url}', { auth: { launcherJwt: '${launcherJwt ?? ''}' }, transports: ['websocket'] });
socket.emit('${operation}', '${service}', ${JSON.stringify(input)}, {}, (error, result) => console.log(error ?? result));`;
  return [{ id: 'javascript', label: 'JavaScript (Socket.IO)', code }];
}

/** @param {SampleCall} call */
function curl({ url, method, headers, body }) {
  const quoted = (/** @type {string} */ text) => `'${text.replaceAll("'", `'\\''`)}'`;
  const parts = [`curl -s ${quoted(url)}`];
  for (const [name, value] of Object.entries(headers)) parts.push(`-H ${quoted(`${name}: ${value}`)}`);
  if (method === 'POST') {
    parts.push(`-H ${quoted('Content-Type: application/json')}`, `-d ${quoted(JSON.stringify(body))}`);
  }
  return parts.join(' \\\n  ');
}

/** @param {SampleCall} call */
function javascript({ url, method, headers, body }) {
  const lines = [];
  if (method === 'POST') lines.push("  method: 'POST',");
  const sent = { ...headers, ...(method === 'POST' && { 'Content-Type': 'application/json' }) };
  if (Object.keys(sent).length > 0) lines.push(`  headers: ${JSON.stringify(sent)},`);
  if (method === 'POST')
    lines.push(`  body: JSON.stringify(${indented(JSON.stringify(body, null, 2), '  ')}),`);
  const options = lines.length > 0 ? `, {\n${lines.join('\n')}\n}` : '';
  return `const response = await fetch(${JSON.stringify(url)}${options});
const result = await response.json();
if (!response.ok) throw new Error(\`\${result.data.reason}: \${result.message}\`);
console.log(result);`;
}

/** @param {SampleCall} call */
function csharp({ url, method, headers, body }) {
  const verbatim = (/** @type {string} */ text) => `@"${text.replaceAll('"', '""')}"`;
  const set = Object.entries(headers).map(
    ([name, value]) => `request.Headers.Add(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`,
  );
  const content =
    method === 'POST'
      ? `request.Content = new StringContent(${verbatim(JSON.stringify(body))}, Encoding.UTF8, "application/json");\n`
      : '';
  return `using System;
using System.Net.Http;
using System.Text;

using var client = new HttpClient();
using var request = new HttpRequestMessage(HttpMethod.${method === 'POST' ? 'Post' : 'Get'}, ${verbatim(url)});
${set.join('')}${content}using var response = await client.SendAsync(request);
Console.WriteLine(await response.Content.ReadAsStringAsync());`;
}

/** @param {SampleCall} call */
function gdscript({ url, method, headers, body }) {
  const sent = { ...headers, ...(method === 'POST' && { 'Content-Type': 'application/json' }) };
  const list = Object.entries(sent).map(([name, value]) => JSON.stringify(`${name}: ${value}`));
  const data =
    method === 'POST'
      ? `, HTTPClient.METHOD_POST,\n\tJSON.stringify(${indented(JSON.stringify(body, null, '\t'), '\t')}))`
      : ')';
  return `var http := HTTPRequest.new()
add_child(http)
http.request(${JSON.stringify(url)}, [${list.join(', ')}]${data}
var completed: Array = await http.request_completed
var result: Dictionary = JSON.parse_string(completed[3].get_string_from_utf8())
print(completed[1], " ", result)`;
}

/** @param {SampleCall} call */
function python({ url, method, headers, body }) {
  const sent = { ...headers, ...(method === 'POST' && { 'Content-Type': 'application/json' }) };
  const data = method === 'POST' ? `\n    data=json.dumps(${pythonLiteral(body)}).encode(),` : '';
  return `import json
from urllib.error import HTTPError
from urllib.request import Request, urlopen

request = Request(
    ${pythonLiteral(url)},${data}
    headers=${pythonLiteral(sent)},
)
try:
    print(json.load(urlopen(request)))
except HTTPError as error:
    print(error.code, json.load(error)["data"]["reason"])`;
}

/**
 * @param {unknown} value
 * @returns {string}
 */
function pythonLiteral(value) {
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(pythonLiteral).join(', ')}]`;
  const entries = Object.entries(value).map(
    ([key, inner]) => `${JSON.stringify(key)}: ${pythonLiteral(inner)}`,
  );
  return `{${entries.join(', ')}}`;
}

/**
 * Indents every line except the first.
 * @param {string} text
 * @param {string} indent
 */
function indented(text, indent) {
  return text.replaceAll('\n', `\n${indent}`);
}
