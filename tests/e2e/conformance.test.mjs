// The official conformance suite, direct and through the proxy: the same checks with the same outcome, none of them a failure.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { bridge } from './lib/bridge.mjs';
import { conformance, policy, proxied, scratch, servers } from './lib/peers.mjs';

// About HTTP itself (streams that break off, Host headers), not about what a stdio server says.
const aboutHttp = ['server-sse-polling', 'server-sse-multiple-streams', 'dns-rebinding-protection'];

async function suite(t, server, dir) {
  mkdirSync(dir);
  const { url, close } = await bridge(server);
  t.after(close);
  await new Promise((done) => execFile(process.execPath, [conformance(), 'server', '--url', url, '--output-dir', dir], { maxBuffer: 1 << 26, timeout: 100_000 }, done));
  const checks = {};
  for (const entry of readdirSync(dir, { recursive: true }).filter((name) => name.endsWith('checks.json')).sort()) {
    const scenario = entry.replace(/^server-(.*?)-\d{4}-.*$/, '$1');
    if (aboutHttp.some((name) => entry.includes(name))) continue;
    for (const { id, status } of JSON.parse(readFileSync(join(dir, entry), 'utf8'))) checks[`${scenario}: ${id}`] = status;
  }
  return checks;
}

test('conformance suite', async (t) => {
  const dir = scratch(t);
  const [direct, through] = await Promise.all([
    suite(t, servers.conformance(), join(dir, 'direct')),
    suite(t, proxied(servers.conformance(), { policy: policy('allow'), dir }), join(dir, 'through')),
  ]);
  t.diagnostic(`${Object.keys(direct).length} checks`);
  assert.ok(Object.keys(direct).length >= 36, `only ${Object.keys(direct).length} checks ran`);
  assert.deepEqual(Object.entries(direct).filter(([, status]) => status === 'FAILURE'), [], 'the fixture itself');
  assert.deepEqual(through, direct);
});
