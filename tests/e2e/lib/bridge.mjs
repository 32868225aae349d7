// Streamable HTTP in front of a stdio server, one child a session: the conformance suite speaks only HTTP. Messages are carried,
// not interpreted, except that what the server says while one request is open goes to that request's stream.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';

export async function bridge(server) {
  const sessions = new Map();

  async function open() {
    const child = new StdioClientTransport({ command: server.command, args: server.args, stderr: process.env.E2E_VERBOSE ? 'inherit' : 'ignore', env: process.env });
    const http = new StreamableHTTPServerTransport({ sessionIdGenerator: randomUUID, onsessioninitialized: (id) => sessions.set(id, { http, child }) });
    const pending = new Set();
    http.onmessage = (message) => {
      if (message.method !== undefined && message.id !== undefined) pending.add(message.id);
      child.send(message).catch(() => {});
    };
    child.onmessage = (message) => {
      const isResponse = message.method === undefined;
      if (isResponse) pending.delete(message.id);
      const relatedRequestId = isResponse ? message.id : [...pending].at(-1);
      http.send(message, { relatedRequestId }).catch(() => {});
    };
    http.onclose = () => child.close();
    await child.start();
    return http;
  }

  const listener = createServer(async (request, response) => {
    if (!/^(localhost|127\.0\.0\.1)(:\d+)?$/.test(request.headers.host ?? '')) return response.writeHead(403).end();
    const known = sessions.get(request.headers['mcp-session-id'])?.http;
    await (known ?? await open()).handleRequest(request, response);
  });
  await new Promise((done) => listener.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${listener.address().port}/mcp`,
    close: async () => {
      listener.close();
      listener.closeAllConnections();
      await Promise.all([...sessions.values()].map(({ child }) => child.close()));
    },
  };
}
