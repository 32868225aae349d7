// node tap.mjs LOG -- CMD ARGS...: runs CMD and copies both directions of its stdio to LOG.in and LOG.out, byte for byte.
// One tap on each side of the proxy shows whether a single byte changed on the way.
import { spawn } from 'node:child_process';
import { openSync, writeSync } from 'node:fs';

const [log, dashes, command, ...args] = process.argv.slice(2);
if (dashes !== '--') throw new Error('usage: tap.mjs LOG -- CMD ARGS...');
const into = openSync(`${log}.in`, 'a');
const outof = openSync(`${log}.out`, 'a');
const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });

process.stdin.on('data', (bytes) => {
  writeSync(into, bytes);
  child.stdin.write(bytes);
});
process.stdin.on('end', () => child.stdin.end());
child.stdin.on('error', () => {});
child.stdout.on('data', (bytes) => {
  writeSync(outof, bytes);
  process.stdout.write(bytes);
});
process.stdout.on('error', () => {});
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('exit', (code, signal) => {
  process.stdin.destroy();
  process.exitCode = code ?? 128 + (signal === 'SIGTERM' ? 15 : 9);
});
