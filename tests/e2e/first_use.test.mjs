// The proxy's first look at a server: what its lists and instructions say, and whether it is the one of its passport.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fixture, policy, program, proxied, scratch, servers } from './lib/peers.mjs';
import * as v1 from './lib/v1.mjs';

const text = (result) => result.content.map((part) => part.text).join('\n');
const calculator = (env = {}) => ({ command: process.execPath, args: [fixture('poisoned_server.mjs')], env });
const names = (list) => list.map((entry) => entry.uri ?? entry.name);

async function through(t, server, options) {
  const client = await v1.connect(proxied(server, { policy: policy('allow'), ...options }), { capabilities: {} });
  t.after(() => client.close());
  return client;
}
function run(...args) {
  const done = spawnSync(program, args, { encoding: 'utf8', timeout: 60_000, input: '' });
  assert.ok(done.status !== null, `ended by ${done.signal}`);
  return done;
}
const noticesOf = (dir) => {
  const rows = run('audit', 'query', '--dir', join(dir, 'audit'), '--kind', 'notice', '--format', 'json').stdout.trim();
  return rows === '' ? [] : rows.split('\n').map((line) => JSON.parse(line).row);
};

test('orders in lists and instructions do not reach the host', async (t) => {
  const dir = scratch(t);
  const server = calculator({ POISONED_INSTRUCTIONS: '1' });
  const client = await through(t, server, { dir });
  assert.equal(client.getInstructions(), undefined);
  assert.deepEqual(names((await client.listTools()).tools), ['add']);
  assert.deepEqual(names((await client.listPrompts()).prompts), ['report']);
  assert.deepEqual(names((await client.listResources()).resources), ['note:1']);
  assert.equal((await client.listResourceTemplates()).resourceTemplates.length, 1);
  assert.equal(text(await client.callTool({ name: 'add', arguments: {} })), 'add ran');
  const refused = await client.callTool({ name: 'multiply', arguments: {} });
  assert.equal(refused.isError, true);
  assert.equal(refused._meta['interlock/decision'].reason, 'tool.changed');
  assert.doesNotMatch(text(refused), /id_rsa/, 'the refusal does not carry the order');
  await assert.rejects(client.getPrompt({ name: 'review' }), { code: -31000 });
  await assert.rejects(client.readResource({ uri: 'note:2' }), { code: -31000 });
  await client.close();
  const held = noticesOf(dir).filter((row) => row.name === 'scan-held').map((row) => row.tool);
  assert.deepEqual(held, ['instructions', 'multiply', 'prompts/review', 'resources/note:2']);

  const accepted = run('policy', 'accept', '--pins', join(dir, 'pins.json'), '--all');
  assert.equal(accepted.status, 0, accepted.stdout + accepted.stderr);
  const again = await through(t, server, { dir, session: 'again' });
  assert.match(again.getInstructions(), /id_rsa/);
  assert.deepEqual(names((await again.listTools()).tools), ['add', 'multiply']);
  assert.deepEqual(names((await again.listPrompts()).prompts), ['report', 'review']);
});

test('in shadow and with --scan off they do', async (t) => {
  for (const flags of [['--shadow'], ['--scan', 'off']]) {
    const dir = scratch(t);
    const client = await through(t, calculator({ POISONED_INSTRUCTIONS: '1' }), { dir, flags });
    assert.match(client.getInstructions(), /id_rsa/);
    assert.deepEqual(names((await client.listTools()).tools), ['add', 'multiply']);
    await client.close();
    assert.equal(noticesOf(dir).some((row) => row.name === 'scan-noted'), flags[0] === '--shadow');
  }
});

for (const [name, server] of Object.entries({
  everything: () => servers.everything(), filesystem: (dir) => servers.filesystem(dir),
  memory: (dir) => servers.memory(join(dir, 'memory.json')),
})) {
  test(`server-${name} is not held back, even strictly`, async (t) => {
    const dir = scratch(t);
    const direct = await v1.connect(server(dir), { capabilities: {} });
    t.after(() => direct.close());
    const client = await through(t, server(dir), { dir, flags: ['--scan', 'strict'] });
    assert.deepEqual(await client.listTools(), await direct.listTools());
    assert.deepEqual(client.getInstructions(), direct.getInstructions());
    for (const [capability, list] of [['prompts', 'listPrompts'], ['resources', 'listResources']]) {
      if (client.getServerCapabilities()[capability]) assert.deepEqual(names(Object.values(await client[list]())[0]), names(Object.values(await direct[list]())[0]));
    }
    await client.close();
    assert.deepEqual(noticesOf(dir).filter((row) => /^scan-/.test(row.name)), []);
  });
}

test('a passport of the live server: what has changed since is held until it is accepted', async (t) => {
  const dir = scratch(t);
  const passport = join(dir, 'server.passport.json');
  const server = calculator();
  const made = run('scan', '--mcp-stdio', '--passport', passport, '--fail-on', 'never', '--', server.command, ...server.args);
  assert.equal(made.status, 0, made.stderr);
  const flags = ['--passport', passport, '--scan', 'off'];
  const same = await through(t, server, { dir, flags });
  assert.deepEqual(names((await same.listTools()).tools), ['add', 'multiply']);
  await same.close();

  const fresh = scratch(t);  // nothing is pinned there: the passport alone has to say it
  const other = calculator({ ADD_DESCRIPTION: 'Adds two numbers, differently.' });
  const changed = await through(t, other, { dir: fresh, flags });
  assert.deepEqual(names((await changed.listTools()).tools), ['multiply']);
  const refused = await changed.callTool({ name: 'add', arguments: {} });
  assert.equal(refused._meta['interlock/decision'].reason, 'tool.changed');
  assert.match(text(refused), /passport/);
  await changed.close();
  assert.equal(run('policy', 'accept', '--pins', join(fresh, 'pins.json'), 'add').status, 0);
  const accepted = await through(t, other, { dir: fresh, flags, session: 'accepted' });
  assert.deepEqual(names((await accepted.listTools()).tools), ['add', 'multiply']);
});

test('a passport that is not there, not sound, altered or not signed as asked: nothing starts', async (t) => {
  const dir = scratch(t);
  const at = (name) => join(dir, name);
  const mark = at('started');
  const start = (...flags) => run('proxy', '--policy', policy('allow'), '--audit-dir', at('audit'), '--pins', at('pins.json'),
    ...flags, '--', process.execPath, '-e', `require("fs").writeFileSync(${JSON.stringify(mark)}, "")`);
  const made = run('audit', 'key', 'new', '--dir', at('keys'));
  assert.equal(made.status, 0, made.stdout + made.stderr);
  const server = calculator();
  const scanned = run('scan', '--mcp-stdio', '--passport', at('signed.json'), '--sign', at('keys'), '--fail-on', 'never', '--', server.command, ...server.args);
  assert.equal(scanned.status, 0, scanned.stderr);
  const signed = readFileSync(at('signed.json'), 'utf8');
  const { key } = JSON.parse(signed).signature;
  const plain = JSON.parse(signed);
  delete plain.signature;
  writeFileSync(at('plain.json'), JSON.stringify(plain));
  writeFileSync(at('altered.json'), signed.replace('"multiply"', '"multiplied"'));
  writeFileSync(at('broken.json'), signed.slice(0, 100));
  plain.tools[0].definition = 'none';
  writeFileSync(at('no-digest.json'), JSON.stringify(plain));
  const stranger = '0'.repeat(63) + '1';

  for (const flags of [['absent.json'], ['broken.json'], ['altered.json'], ['no-digest.json'], ['plain.json', key], ['signed.json', stranger], ['signed.json', 'no key']]) {
    const done = start('--passport', at(flags[0]), ...(flags[1] ? ['--passport-key', flags[1]] : []));
    assert.equal(done.status, 2, `${flags}: ${done.stdout}${done.stderr}`);
    assert.ok(!existsSync(mark), `${flags}: the server was started`);
  }
  for (const flags of [['plain.json'], ['signed.json'], ['signed.json', key]]) {
    const done = start('--passport', at(flags[0]), ...(flags[1] ? ['--passport-key', flags[1]] : []));
    assert.notEqual(done.status, 2, `${flags}: ${done.stderr}`);
  }
  assert.ok(existsSync(mark));
});

test('a passport made from source verifies no definition, and says so', async (t) => {
  const dir = scratch(t);
  const source = join(dir, 'source');
  mkdirSync(source);
  writeFileSync(join(source, 'server.mjs'), readFileSync(fixture('poisoned_server.mjs')));
  const passport = join(dir, 'source.passport.json');
  assert.equal(run('scan', source, '--passport', passport, '--fail-on', 'never').status, 0);
  const client = await through(t, calculator(), { dir, flags: ['--passport', passport, '--scan', 'off'] });
  assert.deepEqual(names((await client.listTools()).tools), ['add', 'multiply']);
  await client.close();
  assert.ok(noticesOf(dir).some((row) => row.name === 'passport-unverifiable'));
});
