import type { IncomingHttpHeaders } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";

/** A request from Node, of HTTP/1.1 or HTTP/2. */
export interface RequestMessage extends AsyncIterable<unknown> {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: IncomingHttpHeaders;
  /** Alternating names and values, as received. */
  readonly rawHeaders: string[];
  readonly socket: Socket;
  /** True if the whole body has arrived. */
  readonly complete: boolean;
  /** Bytes of the body that have arrived. */
  readonly readableLength?: number;
  read?(): unknown;
  resume?(): unknown;
  /** HTTP/2 only. */
  readonly stream?: { readonly session?: { readonly socket: Socket } | undefined };
}

/** Options for accepting a WebSocket. */
export interface WebSocketOptions {
  /** Supported protocols; a client without any gets none. Default: any single protocol of a client with an origin. */
  readonly protocols?: readonly string[] | undefined;
  /** Reports whether messages of a protocol are binary, not text. */
  readonly isBinary: (protocol: string) => boolean;
}

/** The answer to a request. */
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
   * Upgrades the connection to a WebSocket, where each write is a message, or refuses. Returns the agreed protocol, empty if the client
   * named none, and undefined after a refusal.
   */
  upgrade?(wanted: WebSocketOptions): string | undefined;
  /** For an upgrade request: hands over the raw connection, with the data that has already arrived. No further answer is written. */
  takeOver?(code: number): { readonly connection: Duplex; readonly head: Buffer };
  /** HTTP/1.1 only. */
  readonly writableNeedDrain?: boolean;
  flushHeaders?(): void;
  destroy?(): unknown;
  /** HTTP/2 only. */
  readonly stream?: {
    readonly writableNeedDrain: boolean;
    close(code: number): void;
    on(event: "finish", listener: () => void): unknown;
  };
}

/** Returns the connection of a request, which is shared by all its requests. */
export const connectionOf = ({ stream, socket }: RequestMessage): Socket => stream?.session?.socket ?? socket;

/** Answers a request in every case. */
export type MessageHandler = (incoming: RequestMessage, response: ResponseMessage) => Promise<void>;

/** True if more was written than the client takes; `drain` follows when it has. */
export const needsDrain = ({ stream, writableNeedDrain }: ResponseMessage): boolean =>
  stream?.writableNeedDrain ?? writableNeedDrain ?? false;

/** NO_ERROR and INTERNAL_ERROR of HTTP/2. */
const noError = 0x0;
const internalError = 0x2;

/** Ends an answer in the middle, like a network failure. */
export function cut(response: ResponseMessage): void {
  if (response.stream) response.stream.close(internalError);
  else response.destroy?.();
}

/** Call it before answering a request whose body has not arrived: its connection, or stream, ends with the answer. */
export function endWithAnswer(response: ResponseMessage): void {
  const { stream } = response;
  if (stream) stream.on("finish", () => stream.close(noError));
  else response.setHeader("Connection", "close");
}
