/**
 * The whole check, as `npm test` and CI run it: types, lint, format, then every test that needs no browser, the build, and
 * the browser tests on what was built. Each step is told with its time. The last line counts everything that ran; a step
 * counts one, a test counts one. A test that was skipped is a test that did not pass.
 */
import { spawn } from 'node:child_process';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const results = join(root, 'dist/test');
let passed = 0;
let failed = 0;
const failures = [];

function fail(what, count = 1) {
  failed += count;
  failures.push(what);
}

/** Runs one command with its output shown as it comes; answers whether it ended well. */
function run(args) {
  return new Promise((done) => {
    const child = spawn(process.execPath, args, { cwd: root, stdio: 'inherit' });
    child.on('error', () => done(false));
    child.on('exit', (code) => done(code === 0));
  });
}

async function timed(name, work) {
  const started = Date.now();
  console.log(`\n── ${name}`);
  await work();
  console.log(`── ${name}: ${((Date.now() - started) / 1000).toFixed(1)} s`);
}

/** A step that passes or fails as a whole. */
function step(name, args) {
  return timed(name, async () => {
    if (await run(args)) passed += 1;
    else fail(name);
  });
}

/** A vitest run, counted test by test from its own report. Answers how many passed, by file. */
async function tests(name, args) {
  const byFile = new Map();
  await timed(name, async () => {
    const report = join(results, `${name.replaceAll(' ', '-')}.json`);
    const ended = await run([
      'node_modules/vitest/vitest.mjs',
      'run',
      ...args,
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
    ]);
    const text = await readFile(report, 'utf8').catch(() => null);
    if (text === null) return fail(`${name}: no report was written`);
    const before = failed;
    for (const file of JSON.parse(text).testResults) {
      const path = file.name.replace(`${root}/`, '');
      const ran = file.assertionResults;
      const good = ran.filter((test) => test.status === 'passed').length;
      passed += good;
      byFile.set(path, good);
      for (const test of ran) if (test.status !== 'passed') fail(`${path}: ${test.fullName} (${test.status})`);
      if (file.status === 'failed' && ran.every((test) => test.status === 'passed')) fail(`${path}: could not be run`);
    }
    if (!ended && failed === before) fail(`${name}: ended with an error outside the tests`);
  });
  return byFile;
}

await rm(results, { recursive: true, force: true });
await mkdir(results, { recursive: true });

await step('types', ['node_modules/vue-tsc/bin/vue-tsc.js', '-b']);
await step('lint', ['node_modules/oxlint/bin/oxlint', '--deny-warnings']);
await step('format', ['node_modules/prettier/bin/prettier.cjs', '--check', '--log-level=warn', '.']);
// Histories have both processors to themselves: many in two minutes.
const SIMULATION = 'test/sim/seeds.test.ts';
await tests('tests', ['--exclude', SIMULATION]);
await tests('simulation', [SIMULATION]);
await step('build', ['server/start.mjs', '--build']);
const browserTests = await tests('browser tests', ['--config', 'test/e2e/vitest.config.ts']);
const isBrowserTest = (path) => path.startsWith('test/e2e/') && !path.endsWith('/process.test.ts');
const inBrowser = [...browserTests].filter(([path]) => isBrowserTest(path)).reduce((sum, [, count]) => sum + count, 0);
if (inBrowser === 0) fail('no browser test ran');

if (failures.length > 0) console.log(`\nFailed:\n${failures.map((what) => `  ${what}`).join('\n')}`);
console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
