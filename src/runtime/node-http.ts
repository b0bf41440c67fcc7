/**
 * `node:http`. An `import` reads all of its exports, which loads Node's `fetch` and `WebSocket`; they are not used here
 * and take 5 % of the startup time.
 */
export const { createServer, IncomingMessage, request, ServerResponse, STATUS_CODES } =
  process.getBuiltinModule('node:http');
