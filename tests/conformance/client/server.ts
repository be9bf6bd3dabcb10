import { createServer } from "node:http";
import { Client, type ClientOptions, Connection } from "@kubewright/client";
import { Namespace } from "@kubewright/client/kinds";
import { Environment } from "@kubewright/envtest";
import { afterAll, beforeAll } from "vitest";

/** Starts an API server and a client for the tests of a file. */
export function useServer(options: Parameters<typeof Environment.start>[0] = {}) {
  let env: Environment;
  let client: Client;
  beforeAll(async () => {
    env = await Environment.start(options);
    client = new Client({ connection: env.connection(), fieldOwner: "test", onWarning: () => {} });
  });
  afterAll(async () => {
    await client?.close();
    await env?.stop();
  });
  return {
    env: () => env,
    client: () => client,
    inNewNamespace: async (): Promise<string> =>
      (await client.create(Namespace, { metadata: { generateName: "test-" } })).metadata.name,
  };
}

export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** Returns a client and its requests. Every request is answered with its own body, or with an object. */
export async function recordingServer(options: Partial<ClientOptions> = {}) {
  const asked: ReceivedRequest[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { pathname, searchParams } = new URL(request.url ?? "/", "http://stub");
      const text = Buffer.concat(chunks).toString();
      const body: unknown = text === "" ? undefined : JSON.parse(text);
      asked.push({ method: request.method ?? "", path: pathname, query: Object.fromEntries(searchParams), body });
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, items: [] }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("the server is not listening");
  const client = new Client({ connection: { server: `http://127.0.0.1:${address.port}` }, ...options });
  return {
    asked,
    client,
    last: (): ReceivedRequest | undefined => asked.at(-1),
    async [Symbol.asyncDispose]() {
      await client.close();
      server.closeAllConnections();
      server.close();
    },
  };
}

/** A connection that records requested paths. */
export class NotedConnection extends Connection {
  readonly paths: string[] = [];

  override request(...args: Parameters<Connection["request"]>): ReturnType<Connection["request"]> {
    this.paths.push(args[0].path);
    return super.request(...args);
  }
}
