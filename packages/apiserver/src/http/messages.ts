import type { IncomingHttpHeaders } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";

/** A request from Node, over HTTP/1.1 or HTTP/2. */
export interface RequestMessage extends AsyncIterable<unknown> {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: IncomingHttpHeaders;
  /** Alternating header names and values, as received. */
  readonly rawHeaders: string[];
  readonly socket: Socket;
  /** True if the whole body has arrived. */
  readonly complete: boolean;
  /** Bytes of the body that have arrived. */
  readonly readableLength?: number | undefined;
  read?(): unknown;
  resume?(): unknown;
  /** HTTP/2 only. */
  readonly stream?: { readonly session?: { readonly socket: Socket } | undefined } | undefined;
}

/** Options for accepting a WebSocket. */
export interface WebSocketOptions {
  /** Supported protocols. A client that requests none gets none. Default: any single protocol that a client with an origin requests. */
  readonly protocols?: readonly string[] | undefined;
  /** Reports whether a protocol's messages are binary rather than text. */
  readonly isBinary: (protocol: string) => boolean;
}

/** The response to a request. */
export interface ResponseMessage {
  readonly headersSent: boolean;
  readonly statusCode: number;
  setHeader(name: string, value: number | string | readonly string[]): unknown;
  appendHeader(name: string, value: string | readonly string[]): unknown;
  getHeader(name: string): number | string | string[] | undefined;
  writeHead(code: number, headers?: Record<string, string | number>): ResponseMessage;
  write(chunk: Buffer | string): boolean;
  end(): unknown;
  end(chunk: Buffer | string): unknown;
  on(event: "close" | "drain", listener: () => void): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
  off(event: "close" | "drain", listener: () => void): unknown;
  /**
   * Upgrades the connection to a WebSocket, on which each write is a message, or rejects the upgrade. Returns the agreed protocol, an
   * empty string if the client named none, or `undefined` after a rejection.
   */
  upgrade?(wanted: WebSocketOptions): string | undefined;
  /**
   * For an upgrade request: transfers the raw connection to the handler, with the data that has already arrived. No further response is
   * written.
   */
  takeOver?(code: number): { readonly connection: Duplex; readonly head: Buffer };
  /** HTTP/1.1 only. */
  readonly writableNeedDrain?: boolean | undefined;
  flushHeaders?(): void;
  destroy?(): unknown;
  /** HTTP/2 only. */
  readonly stream?:
    | {
        readonly writableNeedDrain: boolean;
        close(code: number): void;
        on(event: "finish", listener: () => void): unknown;
      }
    | undefined;
}

/** Returns a request's connection, which is shared by all requests on it. */
export const connectionOf = ({ stream, socket }: RequestMessage): Socket => stream?.session?.socket ?? socket;

/** Handles a request and always sends a response. */
export type MessageHandler = (incoming: RequestMessage, response: ResponseMessage) => Promise<void>;

/** True if more was written than the client has received; `drain` follows when it has caught up. */
export const needsDrain = ({ stream, writableNeedDrain }: ResponseMessage): boolean =>
  stream?.writableNeedDrain ?? writableNeedDrain ?? false;

/** NO_ERROR and INTERNAL_ERROR of HTTP/2. */
const noError = 0x0;
const internalError = 0x2;

/** Ends a response in the middle, like a network failure. */
export function cut(response: ResponseMessage): void {
  if (response.stream) response.stream.close(internalError);
  else response.destroy?.();
}

/** Makes the connection (or stream) end with the response. Call it before responding to a request whose body has not arrived. */
export function closeAfterResponse(response: ResponseMessage): void {
  const { stream } = response;
  if (stream) stream.on("finish", () => stream.close(noError));
  else response.setHeader("Connection", "close");
}
