import { type IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { WebSocket, WebSocketServer } from "ws";
import type { RequestMessage, ResponseMessage, WebSocketOptions } from "./messages.ts";

/** A server that reports upgrade requests in a separate event. */
export interface UpgradingServer {
  on(event: "upgrade", listener: (incoming: IncomingMessage, socket: Duplex, head: Buffer) => void): unknown;
}

/** Maximum size of a message from a client by default. It is small, because clients of a watch have nothing to send. */
const defaultMaxMessageBytes = 64 * 1024;
const allIsWell = 1_000;
/** Matches a protocol name: one or more HTTP tokens, separated by slashes. */
const protocolName = /^[\w!#$%&'*+.^`|~/-]+$/;
const tokenProtocol = "base64url.bearer.authorization.k8s.io.";

/** Passes upgrade requests to the same handler as all other requests, with a response that can become a WebSocket. */
export function takeUpgrades(
  server: UpgradingServer,
  handler: (incoming: RequestMessage, response: ResponseMessage) => void,
): void {
  let sockets: Promise<WebSockets> | undefined;
  server.on("upgrade", (incoming, socket, head) => {
    socket.on("error", () => socket.destroy());
    sockets ??= webSockets();
    sockets.then(
      (loaded) => handler(incoming, new UpgradableResponse(incoming, head, loaded)),
      () => socket.destroy(),
    );
  });
}

/** Returns a server of the WebSocket library, for messages up to a maximum size. */
type WebSockets = (maxPayload: number) => WebSocketServer;

/** Loads the WebSocket library with the first upgrade request, because most servers never receive one. */
async function webSockets(): Promise<WebSockets> {
  const { WebSocketServer } = await import("ws");
  return (maxPayload) =>
    new WebSocketServer({ noServer: true, clientTracking: false, perMessageDeflate: false, maxPayload });
}

/**
 * HTTP/1.1 response to an upgrade request. It either closes the connection at its end, or upgrades the connection to a WebSocket, on which
 * each write is a message.
 *
 * @see golang.org/x/net/websocket hybiServerHandshaker
 */
class UpgradableResponse implements ResponseMessage {
  readonly #connection: Socket;
  readonly #incoming: IncomingMessage;
  readonly #head: Buffer;
  readonly #sockets: WebSockets;
  /** The underlying HTTP response. After an upgrade, it still emits `close` at the end of the connection. */
  readonly #plain: ServerResponse;
  #code: number | undefined;
  #webSocket: WebSocket | undefined;
  #isBinary = false;

  constructor(incoming: IncomingMessage, head: Buffer, sockets: WebSockets) {
    const { socket } = incoming;
    this.#incoming = incoming;
    this.#connection = socket;
    this.#head = head;
    this.#sockets = sockets;
    this.#plain = new ServerResponse(incoming);
    this.#plain.shouldKeepAlive = false;
    this.#plain.assignSocket(socket);
    this.#plain.on("finish", () => socket.end());
    socket.on("drain", () => this.#plain.emit("drain"));
  }

  upgrade({ protocols, isBinary, receive, maxMessageBytes }: WebSocketOptions): string | undefined {
    const { headers } = this.#incoming;
    const asked = (headers["sec-websocket-protocol"] ?? "")
      .split(",")
      .map((protocol) => protocol.trim())
      .filter((protocol) => protocol !== "" && !protocol.startsWith(tokenProtocol));
    if (!headers["sec-websocket-key"] || headers["sec-websocket-version"] !== "13")
      return this.#refuse(400, "Bad Request");
    if (!protocols && asked.length > 1) return this.#refuse(400, "Bad Request");
    if (!protocols && !URL.canParse(headers.origin ?? "")) return this.#refuse(403, "Forbidden");
    const agreed = asked.find((protocol) => !protocols || protocols.includes(protocol));
    if (asked.length > 0 && agreed === undefined) return this.#refuse(403, "Forbidden");
    if (agreed !== undefined && !protocolName.test(agreed)) return this.#refuse(400, "Bad Request");
    delete headers["sec-websocket-protocol"]; // the library rejects names with a slash, as Kubernetes uses them
    this.#isBinary = isBinary(agreed ?? "");
    const sockets = this.#sockets(maxMessageBytes ?? defaultMaxMessageBytes);
    if (agreed !== undefined) sockets.on("headers", (lines) => lines.push(`Sec-WebSocket-Protocol: ${agreed}`));
    sockets.handleUpgrade(this.#incoming, this.#connection, this.#head, (webSocket) => {
      webSocket.on("error", () => webSocket.terminate()); // the client's input is not a valid WebSocket message, or is too long
      this.#webSocket = webSocket;
      if (receive) deliverTo(receive, webSocket);
    });
    this.#code = this.#webSocket ? 101 : 400;
    return this.#webSocket && (agreed ?? "");
  }

  takeOver(code: number): { connection: Socket; head: Buffer } {
    this.#code = code;
    this.#plain.detachSocket(this.#connection);
    this.#connection.on("close", () => this.#plain.emit("close"));
    return { connection: this.#connection, head: this.#head };
  }

  #refuse(code: number, text: string): undefined {
    this.#code = code;
    this.#connection.end(`HTTP/1.1 ${code} ${text}\r\n\r\n`);
    return undefined;
  }

  get headersSent(): boolean {
    return this.#code !== undefined || this.#plain.headersSent;
  }

  get statusCode(): number {
    return this.#code ?? this.#plain.statusCode;
  }

  get writableNeedDrain(): boolean {
    return this.#code === undefined ? this.#plain.writableNeedDrain : this.#connection.writableNeedDrain;
  }

  setHeader(name: string, value: number | string | readonly string[]): void {
    this.#plain.setHeader(name, value);
  }

  appendHeader(name: string, value: string | readonly string[]): void {
    this.#plain.appendHeader(name, value);
  }

  getHeader(name: string): number | string | string[] | undefined {
    return this.#plain.getHeader(name);
  }

  writeHead(code: number, headers?: Record<string, string | number>): this {
    this.#plain.writeHead(code, headers);
    return this;
  }

  flushHeaders(): void {
    this.#plain.flushHeaders();
  }

  write(chunk: Buffer | string): boolean {
    if (this.#code === undefined) return this.#plain.write(chunk);
    this.#webSocket?.send(chunk, { binary: this.#isBinary });
    return !this.#connection.writableNeedDrain;
  }

  end(chunk?: Buffer | string): void {
    if (this.#webSocket) {
      if (chunk !== undefined) this.write(chunk);
      this.#webSocket.close(allIsWell);
      this.#connection.end();
    } else if (chunk === undefined) this.#plain.end();
    else this.#plain.end(chunk);
  }

  destroy(): void {
    this.#connection.destroy();
  }

  on(event: "close" | "drain" | "error", listener: (error: Error) => void): void {
    this.#plain.on(event, listener);
  }

  off(event: "close" | "drain", listener: () => void): void {
    this.#plain.off(event, listener);
  }
}

/** Passes messages to a function one after another. */
function deliverTo(receive: NonNullable<WebSocketOptions["receive"]>, webSocket: WebSocket): void {
  const waiting: Buffer[] = []; // few, because the connection is paused
  let isBusy = false;
  const deliver = async (): Promise<void> => {
    isBusy = true;
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const taken = receive(next);
      if (!taken) continue;
      webSocket.pause();
      await taken;
    }
    isBusy = false;
    webSocket.resume();
  };
  webSocket.on("message", (message: Buffer) => {
    waiting.push(message);
    if (!isBusy) deliver().catch(() => webSocket.terminate());
  });
}
