// Scenarios of the v1 SDK's client. Each takes what to start and returns a transcript: everything the client got to see.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import {
  CreateMessageRequestSchema, ElicitRequestSchema, ListRootsRequestSchema, LoggingMessageNotificationSchema,
  ResourceUpdatedNotificationSchema, ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';

// `server.env` is added to this process's own.
export async function connect(server, { elicit, roots, log, capabilities } = {}) {
  const client = new Client({ name: 'e2e-v1', version: '1.0.0' },
    { capabilities: capabilities ?? { sampling: {}, elicitation: {}, roots: { listChanged: true } } });
  if (!capabilities || capabilities.elicitation)
    client.setRequestHandler(ElicitRequestSchema, elicit ?? (async () => ({ action: 'accept', content: { name: 'Ada', check: true } })));
  if (!capabilities || capabilities.sampling)
    client.setRequestHandler(CreateMessageRequestSchema, async ({ params }) => ({
      role: 'assistant', model: 'scripted', stopReason: 'endTurn',
      content: { type: 'text', text: `heard ${params.messages.length} message(s), at most ${params.maxTokens} tokens` },
    }));
  if (!capabilities || capabilities.roots)
    client.setRequestHandler(ListRootsRequestSchema, async () => ({ roots: roots ?? [] }));
  client.setNotificationHandler(LoggingMessageNotificationSchema, (n) => log?.push(n.params));
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => {});
  await client.connect(new StdioClientTransport({
    command: server.command, args: server.args, cwd: server.cwd, stderr: process.env.E2E_VERBOSE ? 'inherit' : 'ignore',
    env: { ...process.env, ...server.env, E2E_MARK: 'as it was' },
  }));
  return client;
}

// Runs the steps in order; a step that throws is recorded as the error the client saw.
export async function record(steps) {
  const transcript = {};
  for (const [name, step] of Object.entries(steps)) {
    try {
      transcript[name] = await step();
    } catch (error) {
      transcript[name] = { threw: error.code ?? error.name, message: error.message, data: error.data };
    }
  }
  return transcript;
}

const call = (client, name, args = {}, options) => client.callTool({ name, arguments: args }, undefined, options);

export async function everything(server) {
  const log = [];
  const updates = [];
  const client = await connect(server, { log, roots: [{ uri: 'file:///tmp/e2e', name: 'e2e' }] });
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, (n) => updates.push(n.params));
  const transcript = await record({
    server: () => [client.getServerVersion(), client.getServerCapabilities(), client.getInstructions()],
    ping: () => client.ping(),
    tools: () => client.listTools(),
    echo: () => call(client, 'echo', { message: 'Zażółć gęślą jaźń 🦊 \u2028 "quoted" \\ back' }),
    sum: () => call(client, 'get-sum', { a: 0.1, b: 2 ** 40 }),
    annotated: () => call(client, 'get-annotated-message', { messageType: 'error', includeImage: true }),
    env: async () => {
      const { content } = await call(client, 'get-env');
      return JSON.parse(content[0].text).E2E_MARK;
    },
    links: () => call(client, 'get-resource-links', { count: 4 }),
    textReference: () => call(client, 'get-resource-reference', { resourceType: 'Text', resourceId: 3 }),
    blobReference: () => call(client, 'get-resource-reference', { resourceType: 'Blob', resourceId: 4 }),
    structured: () => call(client, 'get-structured-content', { location: 'Chicago' }),
    image: () => call(client, 'get-tiny-image'),
    gzip: () => call(client, 'gzip-file-as-resource', { name: 'a.gz', data: 'data:text/plain,hello', outputType: 'resource' }),
    gzipLink: () => call(client, 'gzip-file-as-resource', { name: 'b.gz', data: 'data:text/plain,hello' }),
    roots: () => call(client, 'get-roots-list'),
    sampling: () => call(client, 'trigger-sampling-request', { prompt: 'say something', maxTokens: 17 }),
    elicitation: () => call(client, 'trigger-elicitation-request'),
    progress: async () => {
      const seen = [];
      const result = await call(client, 'trigger-long-running-operation', { duration: 0.8, steps: 4 }, { onprogress: (p) => seen.push(p) });
      return { seen: seen.slice(0, 3), result };  // the last one races the result inside the SDK
    },
    cancelled: () => call(client, 'trigger-long-running-operation', { duration: 20, steps: 2 }, { signal: AbortSignal.timeout(150) }),
    task: async () => {
      const seen = [];
      const stream = client.experimental.tasks.callToolStream({ name: 'simulate-research-query', arguments: { topic: 'interlocks' } }, undefined, { task: { ttl: 60000 } });
      for await (const message of stream) seen.push([message.type, message.task?.status, message.result?.content, message.error?.message]);
      return seen.filter(([type], i) => type !== 'taskStatus' || seen[i - 1]?.[0] !== 'taskStatus');
    },
    badArguments: () => call(client, 'get-sum', { a: 'one' }),
    unknownTool: () => call(client, 'no-such-tool', { x: 1 }),
    resources: () => client.listResources(),
    templates: () => client.listResourceTemplates(),
    staticResource: () => client.readResource({ uri: 'demo://resource/static/document/features.md' }),
    textResource: () => client.readResource({ uri: 'demo://resource/dynamic/text/7' }),
    blobResource: () => client.readResource({ uri: 'demo://resource/dynamic/blob/8' }),
    unknownResource: () => client.readResource({ uri: 'demo://nowhere' }),
    subscribe: () => client.subscribeResource({ uri: 'demo://resource/dynamic/text/1' }),
    updates: async () => {
      const started = await call(client, 'toggle-subscriber-updates');
      const stopped = await call(client, 'toggle-subscriber-updates');
      return [started, stopped, updates];
    },
    unsubscribe: () => client.unsubscribeResource({ uri: 'demo://resource/dynamic/text/1' }),
    prompts: () => client.listPrompts(),
    simplePrompt: () => client.getPrompt({ name: 'simple-prompt' }),
    argsPrompt: () => client.getPrompt({ name: 'args-prompt', arguments: { city: 'Zürich', state: 'ZH' } }),
    resourcePrompt: () => client.getPrompt({ name: 'resource-prompt', arguments: { resourceType: 'Text', resourceId: '2' } }),
    completion: () => client.complete({
      ref: { type: 'ref/prompt', name: 'completable-prompt' }, argument: { name: 'department', value: 'E' },
    }),
    logging: async () => {
      await client.setLoggingLevel('debug');
      const result = await call(client, 'toggle-simulated-logging');
      const off = await call(client, 'toggle-simulated-logging');
      return { result, off, heard: log.length > 0 };
    },
    unknownMethod: () => client.request({ method: 'interlock/unknown', params: { deep: { list: [1, 2.5, null] } } }, z.any()),
  });
  await client.close();
  return transcript;
}

export async function filesystem(server, folder) {
  const client = await connect(server, { capabilities: {} });
  const at = (name) => `${folder}/${name}`;
  const transcript = await record({
    tools: () => client.listTools(),
    allowed: () => call(client, 'list_allowed_directories'),
    mkdir: () => call(client, 'create_directory', { path: at('notes') }),
    write: () => call(client, 'write_file', { path: at('notes/a.txt'), content: 'one\ntwo\nthree\nüñí\n' }),
    writeLarge: () => call(client, 'write_file', { path: at('notes/large.txt'), content: 'x'.repeat(300_000) }),
    read: () => call(client, 'read_text_file', { path: at('notes/a.txt') }),
    readHead: () => call(client, 'read_text_file', { path: at('notes/a.txt'), head: 1 }),
    readOld: () => call(client, 'read_file', { path: at('notes/a.txt') }),
    readLarge: () => call(client, 'read_text_file', { path: at('notes/large.txt') }),
    readMedia: () => call(client, 'read_media_file', { path: at('dot.png') }),
    readMany: () => call(client, 'read_multiple_files', { paths: [at('notes/a.txt'), at('none.txt')] }),
    editDry: () => call(client, 'edit_file', { path: at('notes/a.txt'), edits: [{ oldText: 'two', newText: '2' }], dryRun: true }),
    edit: () => call(client, 'edit_file', { path: at('notes/a.txt'), edits: [{ oldText: 'two', newText: '2' }] }),
    list: () => call(client, 'list_directory', { path: at('') }),
    listSizes: () => call(client, 'list_directory_with_sizes', { path: at('notes'), sortBy: 'size' }),
    tree: () => call(client, 'directory_tree', { path: at('') }),
    move: () => call(client, 'move_file', { source: at('notes/a.txt'), destination: at('notes/b.txt') }),
    search: () => call(client, 'search_files', { path: at(''), pattern: '**/b.txt' }),
    info: async () => {
      const { content } = await call(client, 'get_file_info', { path: at('notes/b.txt') });
      return content[0].text.split('\n').filter((line) => /^(size|is|permissions)/.test(line));
    },
    outside: () => call(client, 'read_text_file', { path: '/etc/hostname' }),
    missing: () => call(client, 'read_text_file', { path: at('none.txt') }),
  });
  await client.close();
  return transcript;
}

export async function memory(server) {
  const client = await connect(server, { capabilities: {} });
  const transcript = await record({
    tools: () => client.listTools(),
    createEntities: () => call(client, 'create_entities', {
      entities: [{ name: 'Ada', entityType: 'person', observations: ['writes'] }, { name: 'Engine', entityType: 'machine', observations: [] }],
    }),
    createRelations: () => call(client, 'create_relations', { relations: [{ from: 'Ada', to: 'Engine', relationType: 'programs' }] }),
    addObservations: () => call(client, 'add_observations', { observations: [{ entityName: 'Ada', contents: ['counts'] }] }),
    readGraph: () => call(client, 'read_graph'),
    search: () => call(client, 'search_nodes', { query: 'counts' }),
    open: () => call(client, 'open_nodes', { names: ['Engine'] }),
    deleteObservations: () => call(client, 'delete_observations', { deletions: [{ entityName: 'Ada', observations: ['writes'] }] }),
    deleteRelations: () => call(client, 'delete_relations', { relations: [{ from: 'Ada', to: 'Engine', relationType: 'programs' }] }),
    deleteEntities: () => call(client, 'delete_entities', { entityNames: ['Engine'] }),
    after: () => call(client, 'read_graph'),
    badArguments: () => call(client, 'create_relations', { relations: 'none' }),
  });
  await client.close();
  return transcript;
}
