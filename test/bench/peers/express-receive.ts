import { createServer } from 'node:http';
import express from 'express';
import { listen } from './listen.ts';

/** Bare Express: reads JSON of any size in use here, and says that it did. */
const app = express();
app.use(express.json({ limit: '4mb' }));
app.post('/receive', (_request, response) => {
  response.json({ success: true });
});
listen(createServer(app));
