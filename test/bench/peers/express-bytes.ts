import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import express from 'express';
import { listen } from './listen.ts';

/** Bare Express: answers every request with the bytes of the given file. */
const bytes = readFileSync(process.argv[2] ?? '');
const app = express();
app.use((_request, response) => {
  response.type('json').send(bytes);
});
listen(createServer(app));
