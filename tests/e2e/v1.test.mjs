// The v1 SDK's client against the stock servers: the same with the proxy between them as without it.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { assertSame, assertWireUnchanged } from './lib/compare.mjs';
import { between, policy, proxied, scratch, servers } from './lib/peers.mjs';
import * as v1 from './lib/v1.mjs';

// Calls that an enforcing guard refuses where the server would have: with an isError of its own.
const refused = ['badArguments', 'unknownTool'];

function workspace(dir, name) {
  const folder = join(dir, name);
  mkdirSync(folder);
  writeFileSync(join(folder, 'dot.png'), Buffer.from('iVBORw0KGgo=', 'base64'));
  return folder;
}

// Runs `scenario(server)` direct, watched (byte for byte) and enforced; `peer(n)` makes the n-th fresh server.
async function sameThroughProxy(t, peer, scenario) {
  const dir = scratch(t);
  const direct = await scenario(...peer(dir, 'direct'));
  await t.test('watched: not a byte differs', async () => {
    const [server, ...rest] = peer(dir, 'watched');
    const line = between(server, { policy: policy('watch'), dir });
    assertSame(direct, await scenario(line, ...rest));
    assertWireUnchanged(line.wire());
  });
  await t.test('enforced: what is allowed is the same', async () => {
    const [server, ...rest] = peer(dir, 'enforced');
    const through = await scenario(proxied(server, { policy: policy('allow'), dir: join(dir, 'e') }), ...rest);
    for (const step of refused.filter((name) => direct[name])) {
      assert.equal(through[step].isError, true, step);
      through[step] = direct[step];
    }
    assertSame(direct, through);
  });
}

test('server-everything', (t) => sameThroughProxy(t, () => [servers.everything()], v1.everything));

test('server-filesystem', (t) => sameThroughProxy(t, (dir, name) => {
  const folder = workspace(dir, `files-${name}`);
  return [servers.filesystem(folder), folder];
}, async (server, folder) => JSON.parse(JSON.stringify(await v1.filesystem(server, folder)).replaceAll(folder, '<folder>'))));

test('server-memory', (t) => sameThroughProxy(t, (dir, name) => [servers.memory(join(dir, `${name}.json`))], v1.memory));
