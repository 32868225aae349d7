// Where the real peers are, and how to put the program under test between a client and a server.
import { mkdtempSync, readFileSync, rmSync, existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);
const here = dirname(fileURLToPath(import.meta.url));

export const program = process.env.INTERLOCK_BIN;
if (!program || !existsSync(program)) throw new Error('INTERLOCK_BIN must name the interlock program');

export const policy = (name) => join(here, '..', 'policies', `${name}.yaml`);
export const fixture = (name) => join(here, '..', 'fixtures', name);
const binOf = (name) => {
  const manifest = require.resolve(`@modelcontextprotocol/${name}/package.json`);
  const bin = JSON.parse(readFileSync(manifest, 'utf8')).bin;
  return join(dirname(manifest), typeof bin === 'string' ? bin : Object.values(bin)[0]);
};

// A server is what a host would start: a command and its arguments.
export const servers = {
  everything: () => node(binOf('server-everything'), 'stdio'),
  filesystem: (...folders) => node(binOf('server-filesystem'), ...folders),
  memory: (file) => ({ ...node(binOf('server-memory')), env: { MEMORY_FILE_PATH: file } }),
  modern: () => node(fixture('modern_server.mjs')),
  raw: () => node(fixture('raw_server.mjs')),
  conformance: () => node(fixture('conformance_server.mjs')),
};
export const inspector = () => binOf('inspector');
export const conformance = () => binOf('conformance');
function node(...args) {
  return { command: process.execPath, args };
}

// A folder that is gone after the test.
export function scratch(t) {
  const folder = mkdtempSync(join(tmpdir(), 'interlock-e2e-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

// `wait`: seconds a call waits for `interlock approve` where the client shows no questions.
export function proxied(server, { policy: file, dir, session = 'e2e', wait = 0, flags = [] }) {
  const at = (name) => join(dir, name);
  return {
    env: server.env,
    command: program,
    args: ['proxy', '--policy', file, '--audit-dir', at('audit'), '--session', session, '--store', at('store.db'),
      '--pins', at('pins.json'), '--approval-wait', String(wait), ...flags, '--', server.command, ...server.args],
  };
}

export function tapped(server, log) {
  return { env: server.env, command: process.execPath, args: [join(here, 'tap.mjs'), log, '--', server.command, ...server.args] };
}

// client - tap - proxy - tap - server. `outer` is what the client wrote and read, `inner` what the server read and wrote.
// A client may start its server twice (SDK v2 does, to probe): the logs then hold both runs one after the other.
export function between(server, options) {
  const outer = join(options.dir, 'outer');
  const inner = join(options.dir, 'inner');
  const read = (file) => (existsSync(file) ? readFileSync(file) : Buffer.alloc(0));
  // What the proxy asks the server on its own behalf (the list of tools, say) is between those two.
  const shared = (bytes) => Buffer.concat(
    bytes.toString('latin1').split(/(?<=\n)/).filter((line) => !line.includes('"id":"interlock-')).map((line) => Buffer.from(line, 'latin1')));
  return {
    ...tapped(proxied(tapped(server, inner), options), outer),
    wire: () => ({
      sent: read(`${outer}.in`), received: read(`${outer}.out`),
      delivered: shared(read(`${inner}.in`)), answered: shared(read(`${inner}.out`)),
    }),
  };
}
