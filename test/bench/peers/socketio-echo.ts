import { createServer } from 'node:http';
import { Server } from 'socket.io';
import { listen } from './listen.ts';

/** Bare Socket.IO: acks every call with what was sent. */
const http = createServer();
new Server(http).on('connection', (socket) => {
  socket.onAny((_method, _service, data, _query, ack) => ack(null, data));
});
listen(http);
