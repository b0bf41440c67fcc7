import { createServer } from 'node:http';
import express from 'express';
import { listen } from './listen.ts';

/** Bare Express: parses JSON and sends it back. */
const app = express();
app.use(express.json());
app.post('/echo', (request, response) => {
  response.json(request.body);
});
listen(createServer(app));
