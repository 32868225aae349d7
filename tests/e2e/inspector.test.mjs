// The inspector's command line, as a person would type it.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { inspector, policy, proxied, scratch, servers } from './lib/peers.mjs';

const run = promisify(execFile);
async function inspect(server, ...args) {
  const { stdout } = await run(process.execPath, [inspector(), '--cli', server.command, ...server.args, ...args],
    { maxBuffer: 1 << 26, env: { ...process.env, MCP_AUTO_OPEN_ENABLED: 'false' } });
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
    const through = proxied(servers.everything(), { policy: policy('allow'), dir: scratch(t) });
    const direct = await inspect(servers.everything(), ...args);
    assert.ok(direct.length > 20, 'the inspector said nothing');
    assert.equal(await inspect(through, ...args), direct);
  });
}
