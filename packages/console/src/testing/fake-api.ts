import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { Client } from "@kubewright/client";

/** A received request, with its original path and query, and its body. */
export interface ReceivedRequest {
  readonly method: string;
  readonly url: string;
  readonly body: string;
}

/** Creates a client for an API server that returns prepared responses and records requests. */
export async function fakeApi(answer: (asked: ReceivedRequest) => { readonly status?: number; readonly body: object }) {
  const asked: ReceivedRequest[] = [];
  const server = createServer((request: IncomingMessage, response) => {
    void text(request).then((body) => {
      const one = { method: request.method ?? "", url: decodeURIComponent(request.url ?? ""), body };
      asked.push(one);
      const prepared = answer(one);
      response
        .writeHead(prepared.status ?? 200, { "content-type": "application/json" })
        .end(JSON.stringify(prepared.body));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("the server is not listening");
  const client = new Client({ connection: { server: `http://127.0.0.1:${address.port}` } });
  return {
    client,
    asked,
    async [Symbol.asyncDispose]() {
      await client.close();
      server.closeAllConnections();
      server.close();
    },
  };
}
