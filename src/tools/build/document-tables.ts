import { adminRole } from '../../core/schemas/admin-role.ts';
import { type SeenAs, textFieldsOf } from '../../core/schemas/seen-text.ts';
import { serverOnlyOperations } from '../../features/games/game.ts';
import type { AnyOperation } from '../../features/operation.ts';
import type { SdkEvent, SdkModel } from '../../sdk/generators/model.ts';
import { operations } from '../../server/declarations/operations.ts';

const all: readonly AnyOperation[] = operations;

/**
 * The documents with tables generated from the declarations, by path in the repository: the operations of
 * players and games, those of a game's server, those of administrators, what calls count as, the texts that others see,
 * and the fields of events. `read` returns a document's current text.
 */
export async function documentTables(
  model: SdkModel,
  read: (path: string) => Promise<string>,
): Promise<Record<string, string>> {
  const calling = 'public/docs/calling.md';
  const gameServers = 'public/docs/game-servers.md';
  const administration = 'public/docs/administration.md';
  const rateLimits = 'public/docs/rate-limits.md';
  const moderation = 'public/docs/moderation.md';
  const protocol = 'src/transports/socket/PROTOCOL.md';
  const withEvents = replaceRecords(await read(protocol), 'event', model, false);
  return {
    [calling]: replaceRows(await read(calling), '| Name | Service |', callerRows()),
    [gameServers]: replaceRows(await read(gameServers), '| Name | Player |', gameServerRows()),
    [administration]: replaceRows(await read(administration), '| Name | Roles |', administratorRows()),
    [rateLimits]: replaceRows(await read(rateLimits), '| Operation | A call counts as |', costRows()),
    [moderation]: replaceRows(await read(moderation), '| Operation | Field |', seenTextRows()),
    [protocol]: replaceRecords(withEvents, 'signal', model, true),
  };
}

function callerRows(): string[] {
  return all
    .filter(({ service }) => service !== 'admin')
    .map(({ name, service, summary }) => `| \`${name}\` | \`${service}\` | ${summary} |`);
}

/** `batch` is among them: with the secret, it takes the writes of many players. */
function gameServerRows(): string[] {
  return all
    .filter(({ auth }) => auth === 'player-or-server' || auth === 'game-secret' || auth === 'player-or-game')
    .map((operation) => {
      const player = operation.auth === 'player-or-server' ? '`wallet`' : '';
      return `| \`${operation.name}\` | ${player} | ${reservedWith(operation)} | ${operation.summary} |`;
    });
}

/** The entry of the policy `serverOnly` that reserves an operation for the game's server, if there is one. */
function reservedWith({ name, serverOnlyWith = name }: AnyOperation): string {
  return serverOnlyOperations.some((reserved) => reserved === serverOnlyWith) ? `\`${serverOnlyWith}\`` : '';
}

function costRows(): string[] {
  return all.flatMap(({ name, cost, otherForm }) => {
    const texts = [cost?.text, otherForm?.cost?.text].filter((text) => text !== undefined);
    return texts.length === 0 ? [] : [`| \`${name}\` | ${[...new Set(texts)].join('; ')} |`];
  });
}

function administratorRows(): string[] {
  return all
    .filter(({ service }) => service === 'admin')
    .map(({ name, summary, roles = [] }) => {
      const who = roles.length === adminRole.options.length ? 'all' : roles.join(', ');
      return `| \`${name}\` | ${who} | ${summary} |`;
    });
}

/** The fields of players' and games' writes that other players see. */
function seenTextRows(): string[] {
  return all
    .filter(({ auth, kind }) => auth !== 'admin' && kind !== 'read')
    .flatMap(({ name, input }) =>
      textFieldsOf(input).seen.map(({ path, as, when }) => {
        const field = `\`${path.join('.').replace('.*', '[]')}\`${when ? ' of a public state' : ''}`;
        return `| \`${name}\` | ${field} | ${filterRules[as]} |`;
      }),
    );
}

const filterRules = {
  text: 'masked or refused',
  name: 'refused',
  data: 'strings masked or refused, keys refused',
} satisfies Record<SeenAs, string>;

/** Replaces the last cell of each event's or signal's row with its fields; the other cells are written by hand. */
function replaceRecords(text: string, kind: 'event' | 'signal', model: SdkModel, isSignal: boolean): string {
  const head = `| ${kind} | stream | record |`;
  const rows = rowsBelow(text, head);
  const handwritten = new Map(rows.map((row) => row.split(' | ').slice(0, 2).join(' | ')).map(keyedByName));
  const events = model.events.filter((one) => one.isSignal === isSignal);
  return replaceRows(
    text,
    head,
    events.map((event) => {
      const cells = handwritten.get(event.name) ?? `| \`${event.name}\` | ?`;
      return `${cells} | ${fieldsOf(model, event)} |`;
    }),
  );
}

function keyedByName(cells: string): [string, string] {
  const [, name = ''] = /^\| `([^`]+)`/.exec(cells) ?? [];
  return [name, cells];
}

function fieldsOf({ records }: SdkModel, { record }: SdkEvent): string {
  const fields = records.find(({ name }) => name === record)?.fields ?? [];
  return fields.map(({ name }) => `\`${name}\``).join(', ');
}

/** @throws Error when the document has no such table */
function rowsBelow(text: string, head: string): string[] {
  const lines = text.split('\n');
  const at = lines.findIndex((line) => line.startsWith(head));
  if (at === -1) throw new Error(`there is no table "${head}"`);
  const end = lines.findIndex((line, index) => index > at && !line.startsWith('|'));
  return lines.slice(at + 2, end);
}

/** Replaces the rows of the table that begins with `head`. @throws Error when there is no such table */
export function replaceRows(text: string, head: string, rows: readonly string[]): string {
  const before = rowsBelow(text, head).join('\n');
  if (before === '') throw new Error(`there are no rows below ${head}`);
  return text.replace(before, () => rows.join('\n'));
}
