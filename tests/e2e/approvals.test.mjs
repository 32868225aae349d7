// Approvals outlive the client's time-out and the guard's process: asked by one, answered with `interlock approve`, used by
// the identical call only, once, whoever makes it first.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { policy, program, proxied, scratch, servers } from './lib/peers.mjs';
import * as v1 from './lib/v1.mjs';

const text = (result) => result.content.map((part) => part.text).join('\n');

function bench(t, rules = 'approvals') {
  const dir = scratch(t);
  const at = (name) => join(dir, name);
  const run = (...args) => spawnSync(program, args, { encoding: 'utf8' });
  const acts = new Set(['grant', 'deny', 'revoke', 'plan', 'break-glass']);
  const bench = {
    at,
    connect: async ({ wait = 0, flags = [], session = 'e2e' } = {}) => {
      const client = await v1.connect(proxied(servers.filesystem(dir), { policy: policy(rules), dir, wait, flags, session }), { capabilities: {} });
      t.after(() => client.close());
      return {
        close: () => client.close(),
        write: (content = 'yes', options = {}) =>
          client.callTool({ name: 'write_file', arguments: { path: at('a.txt'), content } }, undefined, options),
        call: (name, args) => client.callTool({ name, arguments: args }),
      };
    },
    approve: (what, ...args) => run('approve', what, ...args, '--store', at('approvals.db'), ...(acts.has(what) ? ['--audit-dir', at('audit')] : [])),
    list: (...args) => {
      const { stdout, stderr, status } = bench.approve('list', '--all', '--format', 'json', ...args);
      assert.equal(status, 0, stderr);
      return stdout.trim().split('\n').filter(Boolean).map((line) => JSON.parse(line));
    },
    // What is recorded is in the journal first and a moment later in the database: asks until `wanted` rows are there.
    rows: async (kind, wanted = 1) => {
      for (let i = 0; ; ++i) {
        const { stdout } = run('audit', 'query', '--dir', at('audit'), '--kind', kind, '--format', 'json');
        const rows = stdout.trim().split('\n').filter(Boolean).map((line) => JSON.parse(line).row);
        if (rows.length >= wanted || i === 100) return rows;
        await new Promise((done) => setTimeout(done, 50));
      }
    },
    verify: () => run('audit', 'verify', '--dir', at('audit')),
  };
  return bench;
}
const idOf = (result) => text(result).match(/interlock approve grant (a-[0-9a-z]{10})/)[1];

test('the client times out, a person agrees, the repeated call goes ahead; once', async (t) => {
  const b = bench(t);
  const client = await b.connect({ wait: 20 });
  await assert.rejects(client.write('yes', { timeout: 700 }), 'the client gives up');
  const [asked] = b.list('--state', 'pending');
  assert.equal(asked.tool, 'write_file');
  assert.deepEqual(asked.arguments, { path: b.at('a.txt'), content: 'yes' });
  const shown = b.approve('show', asked.id);
  assert.match(shown.stdout, new RegExp(asked.call));
  const granted = b.approve('grant', asked.id, '--as', 'carol');
  assert.equal(granted.status, 0, granted.stderr);
  assert.equal(b.approve('grant', asked.id).status, 1, 'a second answer is refused');
  assert.equal(b.approve('deny', asked.id).status, 1);

  assert.ok(!(await client.write()).isError);
  assert.equal(readFileSync(b.at('a.txt'), 'utf8'), 'yes');
  assert.equal(b.list()[0].state, 'used');
  await client.close();
  assert.deepEqual((await b.rows('approval.used')).map(({ name, tool }) => [name, tool]), [[asked.id, 'write_file']]);
  assert.match((await b.rows('approval.answered')).find((row) => row.name === 'approved').actor, /^carol \(/);
  assert.equal(b.verify().status, 0);
});

test('answered while the call waits', async (t) => {
  const b = bench(t);
  const client = await b.connect({ wait: 20 });
  const pending = client.write();
  let waiting = [];
  for (let i = 0; i < 200 && waiting.length === 0; ++i) {
    await new Promise((done) => setTimeout(done, 25));
    if (existsSync(b.at('approvals.db'))) waiting = b.list('--state', 'pending');
  }
  assert.equal(b.approve('grant', waiting[0].id).status, 0);
  assert.ok(!(await pending).isError);
});

test('another process of the session uses it; other arguments are another call', async (t) => {
  const b = bench(t);
  const first = await b.connect();
  const id = idOf(await first.write());
  await first.close();
  assert.equal(b.approve('grant', id).status, 0);
  const second = await b.connect();
  const other = await second.write('no');
  assert.equal(other.isError, true);
  assert.match(text(other), new RegExp(`${id}.*other arguments`));
  assert.ok(!existsSync(b.at('a.txt')));
  assert.ok(!(await second.write()).isError);
  assert.equal((await second.write()).isError, true, 'once is once');
});

test('two guards race for one grant', async (t) => {
  const b = bench(t);
  const clients = await Promise.all([b.connect(), b.connect()]);
  const id = idOf(await clients[0].write());
  assert.equal(idOf(await clients[1].write()), id, 'the same question is one question');
  assert.equal(b.approve('grant', id).status, 0);
  const results = await Promise.all(clients.map((client) => client.write()));
  assert.deepEqual(results.map((result) => Boolean(result.isError)).sort(), [false, true]);
  assert.equal((await b.rows('approval.used')).length, 1);
});

test('declined, expired, taken back, changed policy', async (t) => {
  const b = bench(t);
  const client = await b.connect();
  const declined = idOf(await client.write('1'));
  assert.equal(b.approve('deny', declined, '--reason', 'not on a Friday').status, 0);
  assert.match(text(await client.write('1')), /not on a Friday/);

  const expired = idOf(await client.write('2'));
  assert.equal(b.approve('grant', expired, '--scope', 'session', '--ttl', '1s').status, 0);
  await new Promise((done) => setTimeout(done, 1100));
  assert.notEqual(idOf(await client.write('2')), expired);

  const taken = idOf(await client.write('3'));
  assert.equal(b.approve('grant', taken, '--scope', 'session').status, 0);
  assert.ok(!(await client.write('3')).isError);
  assert.equal(b.approve('revoke', taken).status, 0);
  assert.notEqual(idOf(await client.write('3')), taken);

  const old = idOf(await client.write('4'));
  assert.equal(b.approve('grant', old).status, 0);
  await client.close();
  writeFileSync(b.at('new.yaml'), `${readFileSync(policy('approvals'), 'utf8')}# another\n`);
  const again = await v1.connect(proxied(servers.filesystem(b.at('.')), { policy: b.at('new.yaml'), dir: b.at('.') }), { capabilities: {} });
  t.after(() => again.close());
  const refused = await again.callTool({ name: 'write_file', arguments: { path: b.at('a.txt'), content: '4' } });
  assert.equal(refused.isError, true);
  assert.match(text(refused), new RegExp(`${old} no longer holds: the policy has changed`));
  assert.equal(b.list().find((request) => request.id === old).state, 'void');
  assert.equal((await b.rows('approval.void', 2)).filter((row) => row.name === old).length, 1);
});

test('a file that others may write, or that is broken, approves nothing', async (t) => {
  const b = bench(t);
  const client = await b.connect();
  const id = idOf(await client.write());
  assert.equal(statSync(b.at('approvals.db')).mode & 0o777, 0o600);
  await client.close();
  chmodSync(b.at('approvals.db'), 0o666);
  const unsafe = b.approve('grant', id);
  assert.equal(unsafe.status, 2);
  assert.match(unsafe.stderr, /E1004/);
  for (const breakIt of [() => {}, () => { chmodSync(b.at('approvals.db'), 0o600); writeFileSync(b.at('approvals.db'), 'x'.repeat(8192)); }]) {
    breakIt();
    const guarded = await b.connect();
    const refused = await guarded.write();
    assert.equal(refused.isError, true);
    assert.equal(refused._meta['interlock/decision'].reason, 'store.unavailable');
    assert.ok(!(await guarded.call('list_directory', { path: b.at('.') })).isError, 'what needs nobody goes on');
    await guarded.close();
  }
});

test('a plan in advance', async (t) => {
  const b = bench(t);
  writeFileSync(b.at('plan.json'), JSON.stringify({ schema: 'interlock.plan/v1', title: 'notes', steps: [
    { tool: 'write_file', max_uses: 2, arguments: { properties: { path: { const: b.at('a.txt') }, content: { maxLength: 5 } }, required: ['path'] } },
  ] }));
  assert.equal(b.approve('plan', b.at('plan.json')).status, 2, 'for somebody');
  assert.equal(b.approve('plan', b.at('plan.json'), '--session', 'e2e').status, 0);
  const client = await b.connect();
  assert.ok(!(await client.write('short')).isError);
  assert.equal((await client.write('too long')).isError, true);
  assert.ok(!(await client.write('again')).isError);
  assert.equal((await client.write('third')).isError, true);
});

test('break-glass: by a person, with a reason, recorded twice, reviewed', async (t) => {
  const b = bench(t, 'approvals_break_glass');
  const client = await b.connect();
  assert.equal((await client.write()).isError, true);
  assert.equal(b.approve('break-glass', '--session', 'e2e').status, 2, 'no reason, no window');
  assert.equal(b.approve('break-glass', '--session', 'e2e', '--reason', 'checkout is down', '--ttl', '2s').status, 0);
  assert.ok(!(await client.write()).isError);
  assert.equal((await client.call('create_directory', { path: b.at('x') })).isError, true, 'what is forbidden stays forbidden');
  await new Promise((done) => setTimeout(done, 2100));
  assert.equal((await client.write()).isError, true, 'it is over');
  await client.close();
  const [window] = b.list().filter(({ type }) => type === 'break-glass');
  assert.equal(window.decisions, 2);
  assert.deepEqual((await b.rows('break-glass', 3)).filter(({ tool }) => tool).map(({ tool, name }) => [tool, name]),
    [['write_file', window.id], ['create_directory', window.id]]);
  assert.match(b.approve('list').stderr, /nobody has reviewed/);
  assert.equal(spawnSync(program, ['approve', 'break-glass', 'review', window.id, '--reviewed', 'carol', '--store', b.at('approvals.db'), '--audit-dir', b.at('audit')]).status, 0);
  assert.equal(b.approve('list').stderr, '');
});

test('break-glass: by the policy, when the socket tells an impact over its threshold; over when the impact is', async (t) => {
  const b = bench(t, 'approvals_impact');
  const socket = b.at('guard.sock');
  const client = await b.connect({ flags: ['--socket', socket] });
  const tell = (message) => new Promise((done, fail) => {
    const peer = connect(socket, () => peer.write(`${JSON.stringify(message)}\n`));
    peer.once('data', (data) => { peer.end(); done(JSON.parse(data)); });
    peer.once('error', fail);
  });
  assert.equal((await client.write()).isError, true);
  assert.deepEqual(await tell({ impact: { severity: 'SEV2', rate: 0.5, for_s: 120 } }), { ok: true });
  assert.equal((await client.write()).isError, true, 'not bad enough');
  assert.deepEqual(await tell({ impact: { severity: 'SEV1', rate: 0.5, for_s: 300 } }), { ok: true });
  assert.ok(!(await client.write()).isError);
  assert.equal((await client.call('create_directory', { path: b.at('x') })).isError, true, 'what is forbidden stays forbidden');
  assert.match((await tell({ impact: { severity: 'terrible' } })).error, /severity/);
  assert.deepEqual(await tell({ impact: null }), { ok: true });
  assert.equal((await client.write()).isError, true, 'it is over');
  await tell({ impact: { severity: 'SEV1', for_s: 600 } });
  assert.equal((await client.write()).isError, true, 'not again before the review');
  const [window] = b.list().filter(({ type }) => type === 'break-glass');
  assert.equal(window.opened_by, 'policy');
  assert.equal(window.decisions, 2);
  assert.match(b.approve('list').stderr, /nobody has reviewed/);
  assert.equal(spawnSync(program, ['approve', 'break-glass', 'review', window.id, '--reviewed', 'carol', '--store', b.at('approvals.db'), '--audit-dir', b.at('audit')]).status, 0);
  assert.ok(!(await client.write()).isError, 'it still is that bad');
  await client.close();
  const rows = await b.rows('break-glass', 7);
  assert.deepEqual(rows.filter(({ name, tool }) => tool && name === window.id).map(({ tool }) => tool), ['write_file', 'create_directory']);
  assert.deepEqual(rows.filter(({ actor, name }) => actor === 'policy' && name === window.id).map(({ text }) => /over$/.test(text)), [false, true]);
  assert.equal(b.verify().status, 0);
});

test('two guards share the budget of a principal and day', async (t) => {
  const b = bench(t, 'approvals_budget');
  const flags = ['--principal', 'alice'];
  const clients = await Promise.all([b.connect({ flags, session: 'one' }), b.connect({ flags, session: 'two' })]);
  const results = await Promise.all([0, 1, 2].flatMap((i) => clients.map((client) => client.write(String(i)))));
  assert.equal(results.filter((result) => !result.isError).length, 3);
});

test('watch shows what comes', async (t) => {
  const b = bench(t);
  const client = await b.connect();
  const watch = spawn(program, ['approve', 'watch', '--store', b.at('approvals.db'), '--format', 'json', '--timeout', '30']);
  t.after(() => watch.kill());
  const seen = new Promise((done) => watch.stdout.once('data', done));
  const id = idOf(await client.write());
  assert.equal(JSON.parse(await seen).id, id);
});
