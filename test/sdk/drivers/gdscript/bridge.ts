import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/**
 * `bridge.ts PROJECT`: runs PROJECT's driver.gd in a headless Godot, and provides the standard input and output that
 * Godot 3 scripts lack.
 */
const [project = '.'] = process.argv.slice(2);
const server = createServer((socket) => {
  process.stdin.pipe(socket);
  socket.pipe(process.stdout);
  socket.on('error', () => undefined); // Godot has ended
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = server.address() as AddressInfo;
const godot = spawn('godot3-server', ['--path', project, '-s', 'res://driver.gd'], {
  env: { ...process.env, HOME: project, LC_ALL: 'C.UTF-8', DRIVER_PORT: String(port) },
  stdio: ['ignore', 2, 2],
});
const end = () => godot.kill();
process.once('SIGTERM', end);
const [code] = await once(godot, 'exit');
server.close();
process.exit(code ?? 1);
