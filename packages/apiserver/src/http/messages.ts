import type { IncomingHttpHeaders } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";

/** An incoming HTTP/1.1 or HTTP/2 request, as represented by Node. */
export interface RequestMessage extends AsyncIterable<unknown> {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: IncomingHttpHeaders;
  /** Header names and values, alternating, as received. */
  readonly rawHeaders: string[];
  /** Connection over HTTP/1.1; absent for a request from the same process. */
  readonly socket?: Socket | undefined;
  /** True if the whole body has arrived. */
  readonly complete: boolean;
  /** Number of bytes of the body that have arrived but have not been read. */
  readonly readableLength?: number | undefined;
  read?(): unknown;
  resume?(): unknown;
  /** Stream of the request, over HTTP/2 only. */
  readonly stream?: { readonly session?: { readonly socket: Socket } | undefined } | undefined;
}

/** Options for accepting a WebSocket. */
export interface WebSocketOptions {
  /**
   * Supported protocols. A client that requests no protocol gets none. Default: if the client sends an `Origin` header and requests
   * exactly one protocol, this protocol is accepted.
   */
  readonly protocols?: readonly string[] | undefined;
  /** Reports whether messages of a protocol are binary rather than text. */
  readonly isBinary: (protocol: string) => boolean;
  /**
   * Called with each message from the client. While a returned promise is pending, no further messages are read. Default: messages are
   * ignored.
   */
  readonly receive?: ((message: Buffer) => Promise<void> | void) | undefined;
  /** Maximum size of a message from the client, in bytes. A larger one ends the connection. Default 65536. */
  readonly maxMessageBytes?: number | undefined;
}

/** An HTTP/1.1 or HTTP/2 response. */
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
   * Upgrades the connection to a WebSocket, on which each write is a message, or rejects the upgrade. Returns the agreed protocol, an empty
   * string if the client requested no protocol, or `undefined` if the upgrade was rejected.
   */
  upgrade?(wanted: WebSocketOptions): string | undefined;
  /**
   * For an upgrade request: gives the raw connection to the handler, together with the data that has already arrived. Nothing further is
   * written to the response.
   */
  takeOver?(code: number): { readonly connection: Duplex; readonly head: Buffer };
  /** True if the client must receive data before more is written; over HTTP/1.1 only. */
  readonly writableNeedDrain?: boolean | undefined;
  flushHeaders?(): void;
  destroy?(): unknown;
  /** Stream of the response, over HTTP/2 only. */
  readonly stream?:
    | {
        readonly writableNeedDrain: boolean;
        close(code: number): void;
        on(event: "finish", listener: () => void): unknown;
      }
    | undefined;
}

/** Returns the connection of a request, if any. All requests on one connection have the same object. */
export const connectionOf = ({ stream, socket }: RequestMessage): Socket | undefined =>
  stream?.session?.socket ?? socket;

/** Handles a request and always sends a response. */
export type MessageHandler = (incoming: RequestMessage, response: ResponseMessage) => Promise<void>;

/**
 * Reports whether written data is still waiting to be received by the client. Once the client has received all of it,
 * the response emits `drain`.
 */
export const needsDrain = ({ stream, writableNeedDrain }: ResponseMessage): boolean =>
  stream?.writableNeedDrain ?? writableNeedDrain ?? false;

/** HTTP/2 error codes: `NO_ERROR` and `INTERNAL_ERROR`. */
const noError = 0x0;
const internalError = 0x2;

/** Aborts a response before it is complete, as if the network had failed. */
export function cut(response: ResponseMessage): void {
  if (response.stream) response.stream.close(internalError);
  else response.destroy?.();
}

/**
 * Closes the connection (or HTTP/2 stream) after the response. Must be called before responding to a request whose body has not arrived
 * completely.
 */
export function closeAfterResponse(response: ResponseMessage): void {
  const { stream } = response;
  if (stream) stream.on("finish", () => stream.close(noError));
  else response.setHeader("Connection", "close");
}
