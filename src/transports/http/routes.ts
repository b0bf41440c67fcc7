import type { IncomingHttpHeaders } from 'node:http';
import type { AnyOperation } from '../../operations/define.ts';
import type { CallStyle } from '../../operations/execute.ts';

/** What a request asked for. */
export interface ParsedCall {
  operation: AnyOperation;
  style: CallStyle;
  input: Readonly<Record<string, unknown>>;
  /** The launcher token, wherever it came in. */
  token: unknown;
}

/** Reads what was asked for from the headers and the body, or the query. @throws GantryError `method_unknown` */
export type ParseCall = (
  headers: IncomingHttpHeaders,
  input: Readonly<Record<string, unknown>>,
) => ParsedCall;

/** What a path takes: a JSON body by POST, a query by GET. */
export interface Route {
  /** Nothing is read of a request without an administrator's token. */
  isForAdministrators?: boolean;
  post?: ParseCall;
  get?: ParseCall;
}

/** By path, in lower case and without a slash at the end. */
export type Routes = Map<string, Route>;
