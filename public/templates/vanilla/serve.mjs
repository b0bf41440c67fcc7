// Serves this folder while the game is developed: browsers load modules from web servers only. Any other one does too.
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname } from 'node:path';

const port = Number(process.env.PORT ?? 8080);
const types = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' };

const server = createServer(async ({ url = '/' }, response) => {
  const { pathname } = new URL(url, 'http://127.0.0.1'); // has no `..` any more
  const name = pathname === '/' ? '/index.html' : pathname;
  const bytes = await readFile(new URL(`.${name}`, import.meta.url)).catch(() => null);
  const type = Reflect.get(types, extname(name)) ?? 'application/octet-stream';
  response.writeHead(bytes ? 200 : 404, { 'Content-Type': type, 'Cache-Control': 'no-cache' }).end(bytes);
});
server.listen(port, '127.0.0.1', () => process.stdout.write(`http://127.0.0.1:${port}\n`));
