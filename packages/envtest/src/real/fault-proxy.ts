import { once } from "node:events";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import {
  createSecureServer,
  type Http2SecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from "node:http2";
import { Agent, request as httpsRequest } from "node:https";
import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import type { IssuedCertificate } from "@kubewright/certificates";
import type { Clock } from "@kubewright/clock";
import type { RequestInfo } from "@kubewright/kube-apiserver";
import { failureStatus } from "../bed/failure-status.ts";
import type { Failure } from "../bed/faults.ts";
import { notPassedOn, repeatedHeaders } from "./passed-headers.ts";
import { type ProxyControl, ProxyFaults } from "./proxy-faults.ts";
import { infoOf } from "./request-match.ts";

export interface FaultProxyOptions {
  readonly clock: Clock;
  readonly port: number;
  /** Certificate of the CA that issues the clients' certificates and the real server's certificate. */
  readonly caData: string;
  readonly server: IssuedCertificate;
  /** Client certificate with which the proxy vouches for the identity of its clients, like an aggregating API server. */
  readonly frontProxy: IssuedCertificate;
  readonly targetPort: number;
}

/**
 * A proxy in front of a real API server, which injects faults that the server itself would not produce. The proxy
 * terminates TLS (HTTP/2 and 1.1). It forwards tokens unchanged, and passes on the user name and groups from client
 * certificates in front-proxy headers.
 */
export class FaultProxy {
  readonly faults: ProxyFaults;
  readonly #options: FaultProxyOptions;
  readonly #sockets = new Set<Socket>();
  readonly #trusted: Agent;
  readonly #plain: Agent;
  #server: Http2SecureServer | undefined;

  constructor(options: FaultProxyOptions) {
    this.#options = options;
    const { caData: ca, frontProxy } = options;
    this.#trusted = new Agent({ keepAlive: true, ca, cert: frontProxy.certificate, key: frontProxy.key });
    this.#plain = new Agent({ keepAlive: true, ca });
    const doors: ProxyControl = {
      dropConnections: () => this.#dropConnections(),
      shut: () => this.shut(),
      open: () => this.open(),
    };
    this.faults = new ProxyFaults(options.clock, doors);
  }

  /** Starts listening. */
  async open(): Promise<void> {
    const { caData, port, server: own } = this.#options;
    const server = createSecureServer(
      {
        allowHTTP1: true,
        ca: caData,
        cert: own.certificate,
        key: own.key,
        requestCert: true,
        rejectUnauthorized: false,
      },
      (request, response) => void this.#handle(request, response).catch(() => response.stream?.destroy()),
    );
    server.setTimeout(0);
    server.on("connection", (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket));
    });
    // Clients may disconnect at any time.
    server.on("sessionError", (_error: Error, session: ServerHttp2Session) => session.destroy());
    server.on("tlsClientError", (_error: Error, socket: TLSSocket) => socket.destroy());
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
    this.#server = server;
  }

  /** Stops listening and drops every connection. */
  async shut(): Promise<void> {
    const server = this.#server;
    if (!server) return;
    this.#server = undefined;
    const closed = once(server, "close");
    server.close();
    this.#dropConnections();
    await closed;
  }

  /** Stops permanently. */
  async stop(): Promise<void> {
    await this.shut();
    this.forgetServer();
  }

  /** Drops connections to the real server when it stops. */
  forgetServer(): void {
    this.#trusted.destroy();
    this.#plain.destroy();
  }

  #dropConnections(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async #handle(request: Http2ServerRequest, response: Http2ServerResponse): Promise<void> {
    const info = infoOf(request.method, request.url);
    const verdict = await this.faults.judge(info);
    if (verdict.do === "hang") return;
    if (verdict.do === "fail") return answer(response, verdict.failure);
    this.#forward(info, request, response);
  }

  #forward(info: RequestInfo, request: Http2ServerRequest, response: Http2ServerResponse): void {
    const identity = identityHeaders(request);
    const onward = httpsRequest({
      host: "127.0.0.1",
      port: this.#options.targetPort,
      method: request.method,
      path: request.url,
      headers: { ...repeatedHeaders(request.rawHeaders), ...identity },
      agent: identity ? this.#trusted : this.#plain,
    });
    const cut = (): void => {
      onward.destroy();
      if (request.httpVersionMajor === 2) response.stream.close(2);
      else request.socket.destroy();
    };
    onward.on("error", cut);
    response.once("close", () => onward.destroy());
    onward.on("response", (incoming: IncomingMessage) => {
      response.writeHead(incoming.statusCode ?? 502, passedOn(incoming.headers));
      if (info.verb === "watch") {
        const forget = this.faults.track({
          info,
          cut,
          endWith: (line) => {
            incoming.unpipe(response);
            onward.destroy();
            response.end(line);
          },
        });
        response.once("close", forget);
        // Without this, the headers would be sent only with the first event.
        if ("flushHeaders" in response && typeof response.flushHeaders === "function") response.flushHeaders();
      }
      incoming.on("error", cut);
      incoming.pipe(response);
    });
    request.pipe(onward);
  }
}

function answer(response: Http2ServerResponse, failure: Failure): void {
  const { status, retryAfterSeconds } = failure;
  response.writeHead(status, {
    "content-type": "application/json",
    ...(retryAfterSeconds ? { "retry-after": String(retryAfterSeconds) } : {}),
  });
  response.end(JSON.stringify(failureStatus(failure)));
}

function passedOn(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !notPassedOn.test(name)));
}

/**
 * Returns the headers with the identity from the client certificate, or undefined if there is no certificate that the test bed's CA signed.
 */
function identityHeaders(request: Http2ServerRequest): Record<string, string | string[]> | undefined {
  const socket = request.stream?.session?.socket ?? request.socket;
  if (!(socket instanceof TLSSocket) && !("getPeerCertificate" in socket)) return undefined;
  const tls = socket as TLSSocket;
  if (!tls.authorized) return undefined;
  const { subject } = tls.getPeerCertificate();
  if (!subject?.CN) return undefined;
  const organizations: string | readonly string[] | undefined = subject.O;
  const groups =
    organizations === undefined ? [] : typeof organizations === "string" ? [organizations] : [...organizations];
  return { "x-remote-user": subject.CN, "x-remote-group": [...groups, "system:authenticated"] };
}
