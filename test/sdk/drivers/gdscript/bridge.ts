import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/**
 * `bridge.ts PROJECT COMMAND ...`: runs PROJECT's driver.gd in a headless Godot, COMMAND, and provides the standard input
 * and output that its scripts lack.
 */
const [project = '.', command = '', ...args] = process.argv.slice(2);
const server = createServer((socket) => {
  process.stdin.pipe(socket);
  socket.pipe(process.stdout);
  socket.on('error', () => undefined); // Godot has ended
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = server.address() as AddressInfo;
const godot = spawn(command, [...args, '--path', project, '-s', 'res://driver.gd'], {
  env: { ...process.env, HOME: project, LC_ALL: 'C.UTF-8', DRIVER_PORT: String(port) },
  stdio: ['ignore', 2, 2],
});
const end = () => godot.kill();
process.once('SIGTERM', end);
const [code] = await once(godot, 'exit');
server.close();
process.exit(code ?? 1);
