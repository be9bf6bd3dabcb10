import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import type { TLSSocket } from "node:tls";
import { CertificateAuthority } from "@kubewright/certificates";
import { aggregatedDiscovery, documents, group, version } from "./extension-documents.ts";

/** A request as received by an extension server. */
export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly rawHeaders: readonly string[];
  /** True if the caller's certificate was issued by the front proxy's CA. */
  readonly isFrontProxy: boolean;
  readonly caller: string;
  readonly body: string;
}

/** May handle a request. Returns true if it has sent a response. */
export type Responder = (request: IncomingMessage, response: ServerResponse, body: string) => boolean;

/** An extension server for one group, for tests. Handles discovery, OpenAPI and custom requests. */
export class ExtensionServer implements AsyncDisposable {
  readonly seen: SeenRequest[] = [];
  readonly authority = new CertificateAuthority("extension-ca");
  /** Custom handler, which is called before the built-in ones. */
  answer: Responder | undefined;
  #server: Server | undefined;
  #port = 0;
  readonly #upgraded = new Set<Duplex>();

  /**
   * Starts to listen, on the same port as before if the server has already listened.
   *
   * @param frontProxyCa CA of the front proxy, in PEM format
   */
  async listen(frontProxyCa?: string): Promise<number> {
    const { certificate, key } = this.authority.issueServer("orders", ["orders.shop.svc"]);
    const server = createServer({
      cert: certificate,
      key,
      requestCert: true,
      rejectUnauthorized: false,
      maxHeaderSize: 65_536,
      ...(frontProxyCa ? { ca: frontProxyCa } : {}),
    });
    server.on("request", (request, response) => void this.#serve(request, response));
    server.on("upgrade", (request, socket: Duplex) => {
      this.#record(request, "");
      socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\nhello ");
      socket.on("error", () => socket.destroy());
      this.#upgraded.add(socket);
      socket.pipe(socket);
    });
    this.#server = server;
    await new Promise<void>((resolve) => server.listen(this.#port, "127.0.0.1", () => resolve()));
    this.#port = (server.address() as AddressInfo).port;
    return this.#port;
  }

  async close(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    server?.closeAllConnections();
    for (const socket of this.#upgraded) socket.destroy();
    await new Promise<void>((resolve) => (server ? server.close(() => resolve()) : resolve()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** Returns the APIService that registers this server. */
  registration(spec: Readonly<Record<string, unknown>> = {}): unknown {
    return {
      apiVersion: "apiregistration.k8s.io/v1",
      kind: "APIService",
      metadata: { name: `${version}.${group}` },
      spec: {
        group,
        version,
        groupPriorityMinimum: 2_000,
        versionPriority: 15,
        service: { namespace: "shop", name: "orders", port: this.#port },
        caBundle: Buffer.from(this.authority.certificate).toString("base64"),
        ...spec,
      },
    };
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    this.#record(request, body);
    if (!this.answer?.(request, response, body)) usual(request, response);
  }

  #record(request: IncomingMessage, body: string): void {
    const { method = "", url = "", headers, rawHeaders } = request;
    const socket = request.socket as TLSSocket;
    const caller = String(socket.getPeerCertificate().subject?.CN ?? "");
    this.seen.push({ method, url, headers, rawHeaders, isFrontProxy: socket.authorized, caller, body });
  }
}

function usual({ url = "", headers, method = "GET" }: IncomingMessage, response: ServerResponse): void {
  const path = url.split("?")[0] ?? "";
  const isAggregated = path === "/apis" && /APIGroupDiscoveryList/.test(headers.accept ?? "");
  const document = isAggregated ? aggregatedDiscovery : method === "GET" ? documents.get(path) : undefined;
  response.writeHead(document ? 200 : 404, {
    "content-type": isAggregated
      ? "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
      : "application/json",
  });
  response.end(JSON.stringify(document ?? { kind: "Status", apiVersion: "v1", status: "Failure", code: 404 }));
}

/** Creates the namespace and a Service that is an alias for this machine. */
export async function createService(api: { post(path: string, body: unknown): Promise<unknown> }): Promise<void> {
  await api.post("/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } });
  await api.post("/api/v1/namespaces/shop/services", {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "orders" },
    spec: { type: "ExternalName", externalName: "127.0.0.1" },
  });
}
