// Two transcripts are the same when they are deeply equal after the values that no two runs share were named.
import assert from 'node:assert/strict';

const unstable = [
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)/g, '<time>'],
  [/\d{1,2}:\d\d:\d\d( [AP]M)?/g, '<clock>'],
  [/(Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} \d\d \d{4} <clock> GMT[+-]\d{4} \([^)]*\)/g, '<date>'],
  [/interlock-e2e-\w+/g, '<scratch>'],
  [/\b[0-9a-f]{32}\b|\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, '<id>'],
];

export function normalise(value) {
  const text = JSON.stringify(value, (_, v) => {
    if (typeof v !== 'string') return v === undefined ? null : v;
    if (/^[A-Za-z0-9+/]{40,200}={0,2}$/.test(v)) v = Buffer.from(v, 'base64').toString('utf8');  // blobs that say the time
    return unstable.reduce((s, [pattern, name]) => s.replace(pattern, name), v);
  });
  return JSON.parse(text);
}

export function assertSame(direct, proxied) {
  const [a, b] = [normalise(direct), normalise(proxied)];
  assert.ok(Object.keys(a).length > 0, 'an empty transcript proves nothing');
  for (const key of Object.keys(a)) assert.deepEqual(b[key], a[key], `differs through the proxy: ${key}`);
  assert.deepEqual(Object.keys(b), Object.keys(a));
}

// The first line that differs says more than two megabytes of hexadecimal.
export function assertSameBytes(before, after, what) {
  if (before.equals(after)) return;
  const [a, b] = [before.toString().split('\n'), after.toString().split('\n')];
  const at = a.findIndex((line, i) => line !== b[i]);
  const cut = (s) => (s === undefined ? '<nothing>' : s.length > 2000 ? `${s.slice(0, 2000)}...` : s);
  assert.fail(`${what}: line ${at + 1} of ${a.length}/${b.length} changed\n  before: ${cut(a[at])}\n  after:  ${cut(b[at])}`);
}

export function assertWireUnchanged(wire) {
  assert.ok(wire.sent.length > 0 && wire.answered.length > 0, 'nothing was said');
  assertSameBytes(wire.sent, wire.delivered, 'client to server');
  assertSameBytes(wire.answered, wire.received, 'server to client');
}
