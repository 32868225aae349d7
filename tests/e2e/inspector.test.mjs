// The inspector's command line, as a person would type it.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { inspector, policy, proxied, scratch, servers } from './lib/peers.mjs';

const run = promisify(execFile);
// The server stands in a config file, as a person would write it: the guard is a change of one line there.
async function inspect(dir, server, ...args) {
  const config = join(dir, 'servers.json');
  writeFileSync(config, JSON.stringify({ mcpServers: { peer: { command: server.command, args: server.args } } }));
  const { stdout } = await run(process.execPath, [inspector(), '--cli', '--config', config, '--server', 'peer', ...args],
    { maxBuffer: 1 << 26, env: { ...process.env, HOME: dir } });
  return stdout;
}

const requests = {
  'tools/list': ['--method', 'tools/list'],
  'tools/call': ['--method', 'tools/call', '--tool-name', 'get-sum', '--tool-arg', 'a=2', '--tool-arg', 'b=3'],
  'resources/list': ['--method', 'resources/list'],
  'prompts/get': ['--method', 'prompts/get', '--prompt-name', 'simple-prompt'],
};
for (const [name, args] of Object.entries(requests)) {
  test(name, async (t) => {
    const dir = scratch(t);
    const through = proxied(servers.everything(), { policy: policy('allow'), dir });
    const direct = await inspect(dir, servers.everything(), ...args);
    assert.ok(direct.length > 20, 'the inspector said nothing');
    assert.equal(await inspect(dir, through, ...args), direct);
  });
}
