import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { CnfRequest } from "./request.ts";
import type { CnfResponse } from "./response.ts";

export interface ServerOptions {
  readonly host: string;
  readonly port: number;
  readonly tls?: { readonly key: string; readonly cert: string } | undefined;
  /** True if each character of a body stands for one byte. */
  readonly bytes: boolean;
  /** Returns the response to a request. Undefined means that there is no response at all, and null that the connection is closed. */
  readonly answer: (request: CnfRequest) => Promise<CnfResponse | undefined | null>;
}

/** Headers that LuCI adds to every response. */
const luciHeaders: Readonly<Record<string, string>> = {
  "Cache-Control": "no-cache",
  Expires: "0",
  "X-Frame-Options": "SAMEORIGIN",
  "X-XSS-Protection": "1; mode=block",
  "X-Content-Type-Options": "nosniff",
};
const maxBodyBytes = 1024 * 1024;

/** Starts listening, and resolves as soon as requests are accepted. */
export async function listen(options: ServerOptions): Promise<Server> {
  const onRequest = (incoming: IncomingMessage, response: ServerResponse): void => {
    serve(incoming, response, options).catch((error: unknown) => {
      // This is a bug in the simulator. The response shows it to the author of the test.
      respond(response, { status: 500, contentType: "text/plain", body: `simulator: ${error}` }, options.bytes);
    });
  };
  const server = options.tls ? createTlsServer({ ...options.tls }, onRequest) : createServer(onRequest);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, options.host, () => {
      server.off("error", reject);
      resolve();
    });
  });
  return server;
}

async function serve(incoming: IncomingMessage, response: ServerResponse, options: ServerOptions): Promise<void> {
  const body = await readAll(incoming);
  if (body === undefined) return;
  const { method = "GET", url = "/", headers } = incoming;
  const isChunked = headers["transfer-encoding"] !== undefined;
  const hasBody = isChunked || headers["content-length"] !== undefined;
  const request = { method, path: url, headers, body: hasBody ? body : undefined, isChunked };
  const answer = await options.answer(request);
  if (answer === null) incoming.socket.destroy();
  else if (answer) respond(response, answer, options.bytes);
}

/** Returns the body of a request, or undefined if the client disconnected. */
async function readAll(incoming: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of incoming) {
      const bytes = Buffer.from(chunk);
      size += bytes.length;
      if (size <= maxBodyBytes) chunks.push(bytes);
    }
  } catch {
    return undefined;
  }
  return Buffer.concat(chunks);
}

function respond(response: ServerResponse, answer: CnfResponse, bytes: boolean): void {
  if (response.headersSent || response.destroyed) return;
  const body = Buffer.from(answer.body, bytes ? "latin1" : "utf8");
  const reason = (answer.reason ?? STATUS_CODES[answer.status] ?? "").replace(/[^\t\x20-\x7e\x80-\xff]/g, " ");
  response.writeHead(answer.status, reason, {
    ...luciHeaders,
    ...(answer.contentType !== undefined && { "Content-Type": answer.contentType }),
    ...answer.headers,
    "Content-Length": body.length,
  });
  response.end(body);
}
