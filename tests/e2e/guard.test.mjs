// The proxy as a guard: what must not run does not, the reason reaches the model, a person can be asked in-band.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { policy, program, proxied, scratch, servers } from './lib/peers.mjs';
import * as v1 from './lib/v1.mjs';
import * as v2 from './lib/v2.mjs';

const text = (result) => result.content.map((part) => part.text).join('\n');

test('server-filesystem behind a policy', async (t) => {
  const dir = scratch(t);
  const inside = join(dir, 'inside');
  mkdirSync(inside);
  writeFileSync(join(dir, 'other.txt'), 'as it was');
  const server = proxied(servers.filesystem(dir), { policy: policy('guard'), dir });
  const client = await v1.connect({ ...server, cwd: inside }, { capabilities: {} });
  t.after(() => client.close());
  const call = (name, args) => client.callTool({ name, arguments: args });

  const { tools } = await client.listTools();
  assert.ok(!tools.some((tool) => tool.name === 'move_file'), 'a hidden tool is not listed');
  assert.ok(tools.some((tool) => tool.name === 'write_file'));

  assert.ok(!(await call('write_file', { path: join(inside, 'a.txt'), content: 'yes' })).isError);
  assert.equal(readFileSync(join(inside, 'a.txt'), 'utf8'), 'yes');

  const blocked = await call('write_file', { path: join(dir, 'other.txt'), content: 'no' });
  assert.equal(blocked.isError, true);
  assert.match(text(blocked), /no-writes-outside/);
  assert.match(text(blocked), /outside the folder of this work/);
  assert.equal(readFileSync(join(dir, 'other.txt'), 'utf8'), 'as it was');
  const dots = await call('write_file', { path: `${inside}/../other.txt`, content: 'no' });
  assert.equal(dots.isError, true);
  assert.equal(readFileSync(join(dir, 'other.txt'), 'utf8'), 'as it was');

  const hidden = await call('move_file', { source: join(inside, 'a.txt'), destination: join(inside, 'b.txt') });
  assert.equal(hidden.isError, true);
  assert.ok(!existsSync(join(inside, 'b.txt')));
  assert.equal((await call('write_file', { path: 7 })).isError, true, 'arguments that do not fit the schema');
  assert.equal((await call('no_such_tool', {})).isError, true, 'a tool that the server does not list');
  assert.ok(!(await call('read_text_file', { path: join(inside, 'a.txt') })).isError, 'and the session goes on');
  await client.close();

  const verify = spawnSync(program, ['audit', 'verify', '--dir', join(dir, 'audit')], { encoding: 'utf8' });
  assert.equal(verify.status, 0, verify.stdout + verify.stderr);
  const rows = spawnSync(program, ['audit', 'query', '--dir', join(dir, 'audit'), '--kind', 'decision', '--format', 'json'], { encoding: 'utf8' });
  const verdicts = rows.stdout.trim().split('\n').map((line) => JSON.parse(line).row).map(({ tool, verdict, enforcement }) => [tool, verdict, enforcement]);
  assert.deepEqual(verdicts, [
    ['write_file', 'allow', 'forwarded'], ['write_file', 'block', 'blocked'], ['write_file', 'block', 'blocked'],
    ['move_file', 'block', 'blocked'], ['write_file', 'block', 'blocked'], ['no_such_tool', 'block', 'blocked'],
    ['read_text_file', 'allow', 'forwarded'],
  ]);
});

const answers = {
  'agrees once': [{ action: 'accept', content: { decision: 'once' } }, true],
  'says no': [{ action: 'accept', content: { decision: 'deny' } }, false],
  declines: [{ action: 'decline' }, false],
  cancels: [{ action: 'cancel' }, false],
};
for (const [era, connect] of Object.entries({ 'v1 client': v1.connect, 'v2 legacy': (s, o) => v2.connect(s, 'legacy', o), 'v2 modern': (s, o) => v2.connect(s, 'pinned', o) })) {
  for (const [what, [answer, runs]] of Object.entries(answers)) {
    test(`${era}: a person is asked and ${what}`, async (t) => {
      const asked = [];
      // The first question is the guard's, the second the tool's own: it confirms by elicitation as well.
      const elicit = async ({ params }) => {
        asked.push(params);
        return 'confirm' in params.requestedSchema.properties ? { action: 'accept', content: { confirm: true } } : answer;
      };
      const client = await connect(proxied(servers.modern(), { policy: policy('guard'), dir: scratch(t) }), { elicit });
      t.after(() => client.close());
      const result = await client.callTool({ name: 'deploy', arguments: { target: 'prod' } });
      assert.match(JSON.stringify(asked[0]), /deploy/, 'the question says what it is about');
      const done = text(await client.callTool({ name: 'deployed', arguments: {} }));
      if (runs) {
        assert.equal(text(result), 'deployed to prod');
        assert.equal(done, '["prod"]');
        assert.equal(asked.length, 2);
        await client.callTool({ name: 'deploy', arguments: { target: 'prod' } });
        assert.equal(asked.length, 4, 'once is once');
      } else {
        assert.equal(result.isError, true);
        assert.equal(done, '[]');
        assert.equal(asked.length, 1);
      }
    });
  }

  test(`${era}: agreed for the session, and only for these arguments`, async (t) => {
    let guards = 0;
    const elicit = async ({ params }) => {
      if ('confirm' in params.requestedSchema.properties) return { action: 'accept', content: { confirm: true } };
      ++guards;
      return { action: 'accept', content: { decision: 'session' } };
    };
    const client = await connect(proxied(servers.modern(), { policy: policy('guard'), dir: scratch(t) }), { elicit });
    t.after(() => client.close());
    const deploy = async (target) => text(await client.callTool({ name: 'deploy', arguments: { target } }));
    assert.equal(await deploy('a'), 'deployed to a');
    assert.equal(await deploy('a'), 'deployed to a');
    assert.equal(guards, 1);
    assert.equal(await deploy('b'), 'deployed to b');
    assert.equal(guards, 2);
  });

  test(`${era}: what is blocked is not a question`, async (t) => {
    let asked = 0;
    const client = await connect(proxied(servers.modern(), { policy: policy('guard'), dir: scratch(t) }), { elicit: async () => { ++asked; return { action: 'decline' }; } });
    t.after(() => client.close());
    const result = await client.callTool({ name: 'wipe', arguments: { target: 'all' } });
    assert.equal(result.isError, true);
    assert.match(text(result), /nobody wipes here/);
    assert.equal(text(await client.callTool({ name: 'deployed', arguments: {} })), '[]');
    assert.equal(asked, 0);
  });
}

for (const [era, connect] of Object.entries({ 'v1 client': (s) => v1.connect(s, { capabilities: {} }), 'v2 modern': (s) => v2.connect(s, 'pinned', { elicit: null }) })) {
  test(`${era}: nobody can be asked, so the call is refused with what to do`, async (t) => {
    const client = await connect(proxied(servers.modern(), { policy: policy('guard'), dir: scratch(t) }));
    t.after(() => client.close());
    const result = await client.callTool({ name: 'deploy', arguments: { target: 'prod' } });
    assert.equal(result.isError, true);
    assert.match(text(result), /ask-before-deploying/);
    assert.equal(text(await client.callTool({ name: 'deployed', arguments: {} })), '[]');
  });
}
