import { createHash } from "node:crypto";
import { type IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { RequestMessage, ResponseMessage } from "./messages.ts";
import { closing, farewell, ping, pong, readMessages } from "./web-socket-messages.ts";

/** A server whose requests to upgrade go to listeners of their own. */
export interface UpgradingServer {
  on(event: "upgrade", listener: (incoming: IncomingMessage, socket: Duplex, head: Buffer) => void): unknown;
}

const acceptSuffix = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
const mostUnreadBytes = 64 * 1024;
const tokenProtocol = "base64url.bearer.authorization.k8s.io.";

/** Hands requests to upgrade to the same handler as all others, with an answer that can become a WebSocket. */
export function takeUpgrades(
  server: UpgradingServer,
  handler: (incoming: RequestMessage, response: ResponseMessage) => void,
): void {
  server.on("upgrade", (incoming, _, head) => {
    handler(incoming, new UpgradableResponse(incoming, head));
  });
}

/**
 * An answer of HTTP/1.1 that ends its connection, or takes it over for a WebSocket: what is written then goes out as it is.
 *
 * @see golang.org/x/net/websocket hybiServerHandshaker
 */
class UpgradableResponse implements ResponseMessage {
  readonly #connection: Socket;
  readonly #incoming: IncomingMessage;
  readonly #head: Buffer;
  /** The answer while it is one of HTTP; it tells of the connection's end afterwards too. */
  readonly #plain: ServerResponse;
  #code: number | undefined;

  constructor(incoming: IncomingMessage, head: Buffer) {
    const { socket } = incoming;
    this.#incoming = incoming;
    this.#connection = socket;
    this.#head = head;
    this.#plain = new ServerResponse(incoming);
    this.#plain.shouldKeepAlive = false;
    this.#plain.assignSocket(socket);
    this.#plain.on("finish", () => socket.end());
    socket.on("error", () => socket.destroy());
    socket.on("drain", () => this.#plain.emit("drain"));
  }

  /** Agrees to a WebSocket, or refuses: then the connection is over. Answers whether there is one now. */
  upgrade(): boolean {
    const { headers } = this.#incoming;
    const key = headers["sec-websocket-key"];
    const protocols = (headers["sec-websocket-protocol"] ?? "")
      .split(",")
      .map((protocol) => protocol.trim())
      .filter((protocol) => protocol !== "" && !protocol.startsWith(tokenProtocol));
    if (!key || headers["sec-websocket-version"] !== "13" || protocols.length > 1)
      return this.#refuse(400, "Bad Request");
    if (!URL.canParse(headers.origin ?? "")) return this.#refuse(403, "Forbidden");
    const accept = createHash("sha1").update(`${key}${acceptSuffix}`).digest("base64");
    const chosen = protocols.map((protocol) => `Sec-WebSocket-Protocol: ${protocol}\r\n`).join("");
    this.#code = 101;
    this.#connection.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n${chosen}\r\n`,
    );
    this.#listen();
    return true;
  }

  #refuse(code: number, text: string): false {
    this.#code = code;
    this.#connection.end(`HTTP/1.1 ${code} ${text}\r\n\r\n`);
    return false;
  }

  /** Answers pings; what else a client says is of no interest, but that it goes. */
  #listen(): void {
    let unread = this.#head;
    const take = (piece: Buffer): void => {
      const { messages, rest } = readMessages(Buffer.concat([unread, piece]));
      unread = rest;
      if (rest.length > mostUnreadBytes) this.#connection.destroy(); // nobody has that much to say to a watch
      for (const { opcode, payload } of messages)
        if (opcode === ping) this.#connection.write(pong(payload));
        else if (opcode === closing) this.end();
    };
    this.#connection.on("data", take);
    this.#connection.on("end", () => this.#connection.end());
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
    return this.#connection.writable && this.#connection.write(chunk);
  }

  end(chunk?: Buffer | string): void {
    if (this.#code === 101) {
      if (chunk !== undefined) this.write(chunk);
      if (this.#connection.writable) this.#connection.end(farewell());
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
