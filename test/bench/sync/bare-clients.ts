/** The bare limit of idle clients, as a process of its own: `ws` that greets, answers pings and beats. `node --import tsx bare-clients.ts` prints its port. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer, type WebSocket } from 'ws';

const BEAT = 30_000;
const server = createServer();
const sockets = new WebSocketServer({ server, perMessageDeflate: false });
const open = new Set<WebSocket>();
sockets.on('connection', (socket) => {
  open.add(socket);
  socket.on('message', (data) => {
    const { type } = JSON.parse(String(data)) as { type: string };
    if (type === 'hello') socket.send('{"type":"welcome"}');
    else if (type === 'subscribe') socket.send('{"type":"caught-up"}');
    else if (type === 'ping') socket.send('{"type":"pong"}');
  });
  socket.on('close', () => open.delete(socket));
});
setInterval(() => open.forEach((socket) => socket.ping()), BEAT);
server.listen(0, '127.0.0.1', () => console.log(`port ${(server.address() as AddressInfo).port}`));
