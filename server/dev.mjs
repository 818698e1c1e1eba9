/**
 * `npm run dev`: the server by tsx (restarted when a source changes) behind Vite (hot reload), as one command. The page is
 * Vite's, so its origin is allowed with CAIRN_ORIGINS, and the sign-in link that the server prints is told with Vite's port.
 */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createServer } from 'vite';

const serverPort = process.env['PORT'] || '4646';
const serverOrigin = `http://127.0.0.1:${serverPort}`;

const vite = await createServer({
  configFile: fileURLToPath(new URL('../vite.config.ts', import.meta.url)),
  // changeOrigin sets the Host that the server knows as its own; the Origin header stays Vite's.
  server: { proxy: { '/api': { target: serverOrigin, ws: true, changeOrigin: true } } },
});
await vite.listen();
const pageOrigin = `http://127.0.0.1:${vite.config.server.port}`;

const tsx = fileURLToPath(new URL('../node_modules/.bin/tsx', import.meta.url));
const origins = [process.env['CAIRN_ORIGINS'], pageOrigin].filter(Boolean).join(',');
const server = spawn(tsx, ['watch', '--clear-screen=false', 'server/main.ts', ...process.argv.slice(2)], {
  cwd: fileURLToPath(new URL('..', import.meta.url)),
  env: { ...process.env, PORT: serverPort, CAIRN_ORIGINS: origins },
  stdio: ['inherit', 'pipe', 'inherit'],
});
createInterface({ input: server.stdout }).on('line', (line) => console.log(line.replaceAll(serverOrigin, pageOrigin)));

server.on('exit', async (code) => {
  await vite.close();
  process.exit(code ?? 0);
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => server.kill(signal));
