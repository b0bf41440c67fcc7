import { createServer } from 'node:http';
import express from 'express';
import { listen } from './listen.ts';

/** Bare Express: parses JSON of any size in use here, and acknowledges it. */
const app = express();
app.use(express.json({ limit: '4mb' }));
app.post('/receive', (_request, response) => {
  response.json({ success: true });
});
listen(createServer(app));
