/**
 * `npm start`: checks what a newcomer's machine may lack, builds when the sources changed, then runs the server in this same
 * process, so that signals reach it. Every refusal is one plain line and a non-zero exit.
 *
 * No dependency, and syntax that a Node too old for Cairn can still parse: it is the file that says so. `--build` only builds.
 */
import { spawn } from 'child_process';
import { createHash } from 'crypto';
import fs from 'fs';
import { createRequire } from 'module';
import path from 'path';
import { fileURLToPath, pathToFileURL } from 'url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const dist = path.join(root, 'dist');
const serverBundle = path.join(dist, 'server', 'main.js');
const appPage = path.join(dist, 'app', 'index.html');
const stampFile = path.join(dist, '.start', 'stamp');
const lockFile = path.join(dist, '.start', 'building');
const SOURCES = ['app', 'shared', 'server', 'public', 'package.json', 'package-lock.json', 'vite.config.ts'];
const WAIT_MS = 200;
/** A build that another start has held for longer is taken to hang. */
const BUILD_LIMIT_MS = 10 * 60 * 1000;

/** What a person is told, without a stack. */
class Refusal extends Error {}

main().catch(function (error) {
  console.error(error instanceof Refusal ? error.message : error);
  process.exit(1);
});

async function main() {
  const flags = process.argv.slice(2);
  checkNode();
  if (flags.indexOf('--help') !== -1) {
    const options = await import('./options.mjs');
    console.log(options.helpText());
    return;
  }
  checkInstalled();
  await build();
  if (flags.indexOf('--build') !== -1) return;
  checkNativeModule();
  await import(pathToFileURL(serverBundle).href);
}

/** R5: the version that package.json asks for. */
function checkNode() {
  const wanted = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8')).engines.node;
  if (!satisfies(process.versions.node, wanted)) {
    throw new Refusal('Cairn needs Node ' + wanted + ', and this is Node ' + process.versions.node + '.');
  }
}

/** Ranges as package.json has them: `>=20.19 <21 || >=22.12 <23`. */
function satisfies(version, range) {
  const have = version.split('.').map(Number);
  return range.split('||').some(function (alternative) {
    return alternative
      .trim()
      .split(/\s+/)
      .every(function (bound) {
        const parsed = /^(>=|<)(\d+)(?:\.(\d+))?(?:\.(\d+))?$/.exec(bound);
        if (parsed === null) throw new Refusal('package.json asks for a Node version in a form that is not known here: ' + bound);
        const limit = [parsed[2], parsed[3] || 0, parsed[4] || 0].map(Number);
        const order = have[0] - limit[0] || have[1] - limit[1] || have[2] - limit[2];
        return parsed[1] === '<' ? order < 0 : order >= 0;
      });
  });
}

function checkInstalled() {
  if (!fs.existsSync(path.join(root, 'node_modules', 'better-sqlite3'))) {
    throw new Refusal('The dependencies are not installed: run npm ci in ' + root + ' first.');
  }
}

/** R5: compiled code belongs to the Node it was compiled for. */
function checkNativeModule() {
  try {
    const Database = createRequire(import.meta.url)('better-sqlite3');
    new Database(':memory:').close();
  } catch (error) {
    const why = String(error instanceof Error ? error.message : error);
    const other = /NODE_MODULE_VERSION/.test(why);
    throw new Refusal(
      (other ? 'better-sqlite3 was built for another Node than this ' + process.version : 'better-sqlite3 cannot be loaded') +
        ': run npm rebuild better-sqlite3, or npm ci.' +
        (other ? '' : ' (' + why.split('\n')[0] + ')'),
    );
  }
}

/** Builds unless what is built is of these very sources. Two starts at once: one builds, the other waits for it. */
async function build() {
  const sources = hashOfSources();
  if (isBuilt(sources)) return;
  // Signals are heard before anything is told or taken, so that a start which is stopped leaves no lock and no half build.
  const work = { stopped: false, child: null };
  const stop = function (signal) {
    work.stopped = true;
    if (work.child !== null) work.child.kill(signal);
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  try {
    if (await lockUnlessBuilt(sources, work)) await buildLocked(sources, work);
  } finally {
    releaseLock();
    process.removeListener('SIGINT', stop);
    process.removeListener('SIGTERM', stop);
  }
}

/** True once the lock is ours; false when another start has built meanwhile. */
async function lockUnlessBuilt(sources, work) {
  const until = Date.now() + BUILD_LIMIT_MS;
  for (let told = false; !takeLock(); told = true) {
    if (!told) console.log('Waiting for another start that is building…');
    if (Date.now() > until) throw new Refusal('Another start has been building for too long; if none is, remove ' + lockFile + '.');
    await new Promise(function (resolve) {
      setTimeout(resolve, WAIT_MS);
    });
    if (work.stopped) throw new Refusal('Stopped while waiting for the build.');
    if (isBuilt(sources)) return false;
  }
  return !isBuilt(sources);
}

async function buildLocked(sources, work) {
  if (!fs.existsSync(path.join(root, 'node_modules', 'vite'))) {
    throw new Refusal('The build tools are not installed: run npm ci in ' + root + ' (without leaving out the development ones).');
  }
  console.log('Building…');
  fs.rmSync(stampFile, { force: true });
  await runBuild(work);
  fs.writeFileSync(stampFile, stampOf(sources));
}

/** Quiet while it goes well; its whole output when it does not. */
function runBuild(work) {
  return new Promise(function (resolve, reject) {
    const npm = process.env.npm_execpath;
    const viaNode = npm !== undefined && /\.c?js$/.test(npm);
    work.child = spawn(viaNode ? process.execPath : 'npm', (viaNode ? [npm] : []).concat(['run', '--silent', 'build']), {
      cwd: root,
      shell: !viaNode && process.platform === 'win32',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    const keep = function (piece) {
      output += piece;
    };
    work.child.stdout.on('data', keep);
    work.child.stderr.on('data', keep);
    work.child.on('error', function (error) {
      reject(new Refusal('The build could not be started: ' + error.message));
    });
    work.child.on('close', function (code) {
      if (work.stopped) reject(new Refusal('Stopped while building.'));
      else if (code === 0) resolve();
      else reject(new Refusal(output.trim() + '\nThe build failed.'));
    });
  });
}

/** One hash over names and bytes of everything that the build reads from this folder. */
function hashOfSources() {
  const hash = createHash('sha256');
  const add = function (name) {
    const file = path.join(root, name);
    if (!fs.existsSync(file)) return;
    if (fs.statSync(file).isDirectory()) {
      fs.readdirSync(file)
        .sort()
        .forEach(function (entry) {
          add(name + '/' + entry);
        });
    } else {
      const bytes = fs.readFileSync(file);
      hash.update(name + '\0' + bytes.length + '\0').update(bytes);
    }
  };
  SOURCES.forEach(add);
  return hash.digest('hex');
}

/** The sources' hash, and which files it led to: a build made by hand in between is noticed. */
function stampOf(sources) {
  return [serverBundle, appPage]
    .map(function (file) {
      const facts = fs.statSync(file);
      return facts.mtimeMs + ' ' + facts.size;
    })
    .concat(sources)
    .join('\n');
}

function isBuilt(sources) {
  if (![serverBundle, appPage, stampFile].every(fs.existsSync)) return false;
  try {
    return fs.readFileSync(stampFile, 'utf8') === stampOf(sources);
  } catch (error) {
    // Another start may remove any of them between the two looks, to build anew.
    if (error.code === 'ENOENT') return false;
    throw error;
  }
}

/** The lock holds its owner's pid; that of a start which is gone is taken over. */
function takeLock() {
  fs.mkdirSync(path.dirname(lockFile), { recursive: true });
  try {
    fs.writeFileSync(lockFile, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw new Refusal('Nothing can be built in ' + dist + ': ' + error.message);
  }
  const holder = lockHolder();
  if (holder !== null && !isAlive(holder) && lockHolder() === holder) fs.rmSync(lockFile, { force: true });
  return false;
}

/** Null: not held, or held by one that has not written its pid yet. */
function lockHolder() {
  try {
    return Number(fs.readFileSync(lockFile, 'utf8')) || null;
  } catch (error) {
    if (error.code === 'ENOENT') return null;
    throw error;
  }
}

function releaseLock() {
  if (lockHolder() === process.pid) fs.rmSync(lockFile, { force: true });
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
