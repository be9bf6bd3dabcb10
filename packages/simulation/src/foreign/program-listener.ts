import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import { CertificateAuthority } from "@kubewright/certificates";
import type { Handle, InProcessRequest } from "../cluster/api-call.ts";

/** Maximum size of a request's body. API servers accept 3 MiB. */
const maxBodyBytes = 4 * 1024 * 1024;
/** Headers that belong to the connection. Node.js adds its own to responses. */
const hopByHop: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "transfer-encoding",
  "content-length",
  "accept-encoding",
  "host",
  "upgrade",
  "te",
  "expect",
]);

/** An HTTPS server on 127.0.0.1 through which a program in another process reaches an API server in this process. */
export class ProgramListener implements AsyncDisposable {
  readonly #server: Server;
  /** CA certificate for the server's certificate, in PEM format. */
  readonly caData: string;

  private constructor(server: Server, caData: string) {
    this.#server = server;
    this.caData = caData;
  }

  /** Starts to listen on a free port. @param handle handles the requests; if it throws, the connection is closed */
  static async open(handle: Handle): Promise<ProgramListener> {
    const authority = new CertificateAuthority("kubewright-simulation-ca");
    const { certificate, key } = authority.issueServer("kubewright-simulation", ["127.0.0.1", "localhost"]);
    const server = createServer({ cert: certificate, key }, (request, response) => {
      answer(handle, request, response).catch(() => request.socket.destroy());
    });
    server.requestTimeout = 0; // watches take long
    server.keepAliveTimeout = 600_000; // only injected faults close connections
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new ProgramListener(server, authority.certificate);
  }

  /** URL of the server. */
  get url(): string {
    const address = this.#server.address();
    return `https://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }
}

async function answer(handle: Handle, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const gone = new AbortController();
  // Clients may disconnect at any time.
  response.on("error", () => {});
  response.on("close", () => gone.abort());
  const body = await bodyOf(request);
  if (body === undefined) {
    response.writeHead(413, { connection: "close" }).end();
    return;
  }
  const { method = "GET", url: path = "/" } = request;
  const headers = Object.fromEntries(
    Object.entries(request.headersDistinct).filter(
      (entry): entry is [string, string[]] => !hopByHop.has(entry[0]) && entry[1] !== undefined,
    ),
  );
  const joined: InProcessRequest["headers"] = Object.fromEntries(
    Object.entries(headers).map(([name, values]) => [name, values.length === 1 ? (values[0] ?? "") : values]),
  );
  const answered = await handle({ method, path, headers: joined, body, signal: gone.signal });
  const kept = Object.entries(answered.headers).filter(([name]) => !hopByHop.has(name));
  response.writeHead(answered.status, Object.fromEntries(kept.map(([name, value]) => [name, copied(value)])));
  response.flushHeaders(); // clients wait for the headers of a watch, even before its first event
  for await (const chunk of answered.body) {
    if (response.destroyed) return;
    if (!response.write(chunk)) await Promise.race([once(response, "drain"), once(response, "close")]);
  }
  response.end();
}

const copied = (value: string | readonly string[]): string | string[] =>
  typeof value === "string" ? value : [...value];

/** Returns the body of a request, or undefined if it is too large. */
async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    if (!(chunk instanceof Buffer)) continue;
    size += chunk.length;
    if (size > maxBodyBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
