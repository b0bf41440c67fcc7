import { createServer } from 'node:http';
import { Server } from 'socket.io';
import { newId } from '../../../src/core/schemas/ids.ts';
import { listen } from './listen.ts';

/**
 * Bare Socket.IO: everyone is in one room, and each message goes to all of them in our format. Nothing is validated or
 * stored.
 */
const senderId = `0x${'ab'.repeat(20)}`;
const epoch = newId();
let seq = 0;

const http = createServer();
const io = new Server(http);
io.on('connection', (socket) => {
  socket.join('room');
  socket.on('sendChannelMessage', (_service, { channelId, content }, _query, ack) => {
    const now = Date.now();
    const message = { _id: newId(), channelId, senderId, content, createdAt: now, updatedAt: now };
    io.to('room').emit('chat-messages created', message, {
      stream: `channel:${channelId}`,
      epoch,
      seq: ++seq,
    });
    ack(null, message);
  });
});
listen(http);
