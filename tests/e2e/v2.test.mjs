// The v2 SDK's client in each of its eras, against a server of both eras and against one that knows only the old one.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { assertSame, assertWireUnchanged } from './lib/compare.mjs';
import { between, policy, proxied, scratch, servers } from './lib/peers.mjs';
import * as v2 from './lib/v2.mjs';

for (const era of Object.keys(v2.eras)) {
  test(`${era}: modern server`, async (t) => {
    const dir = scratch(t);
    const direct = await v2.modern(servers.modern(), era);
    assert.equal(direct.mrtr.content?.[0]?.text, 'deployed to staging');
    await t.test('watched: not a byte differs', async () => {
      const line = between(servers.modern(), { policy: policy('watch'), dir });
      assertSame(direct, await v2.modern(line, era));
      assertWireUnchanged(line.wire());
    });
    await t.test('enforced: what is allowed is the same', async () => {
      const through = await v2.modern(proxied(servers.modern(), { policy: policy('allow'), dir: join(dir, 'e') }), era);
      for (const step of ['badArguments', 'unknownTool']) {
        assert.equal(through[step].isError, true, step);
        through[step] = direct[step];
      }
      assertSame(direct, through);
    });
  });
}

for (const era of ['legacy', 'auto']) {
  test(`${era}: server-everything`, async (t) => {
    const dir = scratch(t);
    const visit = async (server) => {
      const client = await v2.connect(server, era);
      const seen = {
        server: client.getServerVersion(), tools: await client.listTools(), prompts: await client.listPrompts(),
        echo: await client.callTool({ name: 'echo', arguments: { message: era } }),
        image: await client.callTool({ name: 'get-tiny-image', arguments: {} }),
        resource: await client.readResource({ uri: 'demo://resource/static/document/features.md' }),
      };
      await client.close();
      return seen;
    };
    const direct = await visit(servers.everything());
    const line = between(servers.everything(), { policy: policy('watch'), dir });
    assertSame(direct, await visit(line));
    assertWireUnchanged(line.wire());
  });
}
