import type { IncomingHttpHeaders } from 'node:http';
import type { CallStyle } from '../../calls/execute.ts';
import type { AnyOperation } from '../../features/operation.ts';

/** The operation call parsed from a request. */
export interface ParsedCall {
  operation: AnyOperation;
  style: CallStyle;
  input: Readonly<Record<string, unknown>>;
  /** The launcher token, from the input or a header. */
  token: unknown;
}

/** Parses a call from the headers and the body, or the query. @throws GantryError `method_unknown` */
export type ParseCall = (
  headers: IncomingHttpHeaders,
  input: Readonly<Record<string, unknown>>,
) => ParsedCall;

/** What a path accepts: a JSON body by POST, a query by GET. */
export interface Route {
  /** Without an administrator's token the request is refused before its body is read. */
  isForAdministrators?: boolean;
  post?: ParseCall;
  get?: ParseCall;
}

/** By path, in lower case and without a trailing slash. */
export type Routes = Map<string, Route>;
