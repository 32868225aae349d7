// Below any SDK: lines that no client library would write, through the proxy and back.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { policy, proxied, scratch, servers } from './lib/peers.mjs';

// A client that writes lines and waits for lines.
function open(t, file) {
  const { command, args } = proxied(servers.raw(), { policy: policy(file), dir: scratch(t) });
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', process.env.E2E_VERBOSE ? 'inherit' : 'ignore'] });
  t.after(() => child.kill('SIGKILL'));
  const lines = [];
  const waiting = [];
  createInterface({ input: child.stdout }).on('line', (line) => (waiting.length ? waiting.shift()(line) : lines.push(line)));
  const exit = new Promise((done) => child.on('exit', (code, signal) => done({ code, signal })));
  return {
    child,
    exit,
    send: (line) => child.stdin.write(`${line}\n`),
    next: () => (lines.length ? Promise.resolve(lines.shift()) : new Promise((done, fail) => {
      const late = setTimeout(() => fail(new Error('no answer within 10 s')), 10_000);
      waiting.push((line) => { clearTimeout(late); done(line); });
    })),
    async start() {
      this.send('{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"raw","version":"0"}}}');
      assert.equal(JSON.parse(await this.next()).result.serverInfo.name, 'raw');
      this.send('{"jsonrpc":"2.0","method":"notifications/initialized"}');
      assert.match(await this.next(), /initialized/);
      this.send('{"jsonrpc":"2.0","id":"l","method":"tools/list"}');
      assert.equal(JSON.parse(await this.next()).result.tools.length, 2);
      return this;
    },
  };
}

// Lines that reach the server exactly as they were written; it answers with what it heard.
const requests = {
  'an unknown method': '{"jsonrpc":"2.0","id":1,"method":"x/unknown","params":{"a":[1,2.50,1e3,null]}}',
  'odd spacing and key order': '  {"params" : { "z":1 ,"a" :2 }, "method":"x/y","id" :  2,"jsonrpc":"2.0"}  ',
  'escapes that need not be': '{"jsonrpc":"2.0","id":3,"method":"x\\/y","params":{"t":"\\u0041\\/\\ud83e\\udd8a"}}',
  'numbers past 2^53': '{"jsonrpc":"2.0","id":9007199254740993,"method":"x/y","params":{"n":123456789012345678901234567890,"d":0.1000000000000000055}}',
  'a string id that looks like a number': '{"jsonrpc":"2.0","id":"4","method":"x/y"}',
  'a call with odd spelling': '{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"arguments":{"at":"\\u0062"},"name":"look","_meta":{"progressToken":"p"}}}',
  'a megabyte': `{"jsonrpc":"2.0","id":6,"method":"x/y","params":{"t":"${'ä'.repeat(500_000)}"}}`,
};
test('requests pass byte for byte', async (t) => {
  const line = await open(t, 'allow').start();
  for (const [name, request] of Object.entries(requests)) {
    await t.test(name, async () => {
      line.send(request);
      assert.equal(JSON.parse(await line.next()).result.heard, request);
    });
  }
  await t.test('a notification', async () => {
    const note = '{"method":"notifications/x","jsonrpc":"2.0","params":{"b":1,"a":[]}}';
    line.send(note);
    assert.equal(JSON.parse(await line.next()).params.line, note);
  });
});

test('responses and notifications of the server pass byte for byte', async (t) => {
  const line = await open(t, 'allow').start();
  const reply = ' {"id":70,"result":{"n":1.0,"s":"\\u00e4","deep":{"b":1,"a":2}} , "jsonrpc":"2.0"}';
  line.send(JSON.stringify({ jsonrpc: '2.0', id: 70, method: 'raw/reply', params: { line: reply } }));
  assert.equal(await line.next(), reply);
  const emitted = [
    '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":0.50}}',
    '{"jsonrpc":"2.0","method":"notifications/never/heard/of","params":{"x":[{}]}}',
    '{"jsonrpc":"2.0","id":"s1","method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}',
  ];
  line.send(JSON.stringify({ jsonrpc: '2.0', id: 71, method: 'raw/emit', params: { lines: emitted } }));
  for (const expected of emitted) assert.equal(await line.next(), expected);
  assert.equal(JSON.parse(await line.next()).id, 71);
});

test('what is not allowed never reaches the server', async (t) => {
  const line = await open(t, 'guard').start();
  line.send('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"act","arguments":{}}}');
  const refused = JSON.parse(await line.next());
  assert.equal(refused.id, 1);
  assert.equal(refused.result.isError, true);
  // Two readers, two meanings: the first key says `look`, the last `act`.
  line.send('{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"look","name":"act","arguments":{}}}');
  const twice = JSON.parse(await line.next());
  assert.ok(twice.error ?? twice.result.isError, JSON.stringify(twice));
  assert.ok(!JSON.stringify(twice).includes('heard'), 'the server did not see it');
  line.send('{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"look","arguments":{"at":"x"}}}');
  assert.ok(JSON.parse(await line.next()).result.heard);
});

test('a server that dies ends the session in a defined way', async (t) => {
  const line = await open(t, 'allow').start();
  line.send('{"jsonrpc":"2.0","id":1,"method":"raw/die"}');
  const answer = JSON.parse(await line.next());
  assert.equal(answer.id, 1);
  assert.ok(answer.error, 'an open request is answered');
  const { code } = await line.exit;
  assert.equal(code, 3);
});

test('a client that goes away ends the server too', async (t) => {
  const line = await open(t, 'allow').start();
  line.child.stdin.end();
  assert.deepEqual(await line.exit, { code: 0, signal: null });
});
