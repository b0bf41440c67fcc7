/**
 * `node:http`. An `import` of it reads all that it exports, and with that loads Node's `fetch` and `WebSocket`, which take a
 * twentieth of a start and which nothing here wants.
 */
export const { createServer, IncomingMessage, request, ServerResponse, STATUS_CODES } =
  process.getBuiltinModule('node:http');
