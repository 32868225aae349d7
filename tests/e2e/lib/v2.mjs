// Scenarios of the v2 SDK's client, in each of its ways to agree on a protocol era.
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { record } from './v1.mjs';

export const eras = { legacy: { mode: 'legacy' }, auto: { mode: 'auto' }, pinned: { mode: { pin: '2026-07-28' } } };

export async function connect(server, era, { elicit } = {}) {
  const client = new Client({ name: 'e2e-v2', version: '1.0.0' },
    { capabilities: elicit === null ? {} : { elicitation: { form: {} } }, versionNegotiation: eras[era] });
  if (elicit !== null)
    client.setRequestHandler('elicitation/create', elicit ?? (async () => ({ action: 'accept', content: { confirm: true } })));
  await client.connect(new StdioClientTransport({
    command: server.command, args: server.args, stderr: process.env.E2E_VERBOSE ? 'inherit' : 'ignore', env: { ...process.env, ...server.env },
  }));
  return client;
}

const call = (client, name, args = {}, options) => client.callTool({ name, arguments: args }, options);

export async function modern(server, era) {
  const asked = [];
  const client = await connect(server, era, {
    elicit: async ({ params }) => { asked.push(params); return { action: 'accept', content: { confirm: true } }; },
  });
  const transcript = await record({
    server: () => [client.getServerVersion(), client.getServerCapabilities(), client.getInstructions()],
    tools: () => client.listTools(),
    echo: () => call(client, 'echo', { message: 'ünï 🦊 \u0000 \u2029' }),
    structured: () => call(client, 'measure', { values: [0.1, 1e21, -0, 12345678901234567890] }),
    progress: async () => {
      const seen = [];
      const result = await call(client, 'steps', { steps: 3 }, { onprogress: (p) => seen.push(p) });
      return { seen: seen.slice(0, 1), result };  // later ones can race the result inside the SDK; the wire is compared byte by byte
    },
    mrtr: () => call(client, 'deploy', { target: 'staging' }),
    asked: () => [...asked],
    deployed: () => call(client, 'deployed'),
    fails: () => call(client, 'fails'),
    badArguments: () => call(client, 'measure', { values: 'none' }),
    unknownTool: () => call(client, 'no-such-tool'),
    resources: () => client.listResources(),
    templates: () => client.listResourceTemplates(),
    resource: () => client.readResource({ uri: 'e2e://plain' }),
    templated: () => client.readResource({ uri: 'e2e://numbered/42' }),
    unknownResource: () => client.readResource({ uri: 'e2e://nowhere' }),
    prompts: () => client.listPrompts(),
    prompt: () => client.getPrompt({ name: 'greet', arguments: { name: 'Grace' } }),
    completion: () => client.complete({ ref: { type: 'ref/prompt', name: 'greet' }, argument: { name: 'name', value: 'A' } }),
    listen: async () => {
      const subscription = await client.listen({ toolsListChanged: true });
      await subscription.close();
      return 'listened';
    },
  });
  await client.close();
  return transcript;
}
