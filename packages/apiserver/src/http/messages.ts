import type { IncomingHttpHeaders } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";

/** A request as Node hands it out, of HTTP/1.1 or HTTP/2. */
export interface RequestMessage extends AsyncIterable<unknown> {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: IncomingHttpHeaders;
  /** Names and values in turn, as they came. */
  readonly rawHeaders: string[];
  readonly socket: Socket;
  /** Whether the whole body has come. */
  readonly complete: boolean;
  /** Of what has come of the body. */
  readonly readableLength?: number;
  read?(): unknown;
  resume?(): unknown;
  /** Of HTTP/2. */
  readonly stream?: { readonly session?: { readonly socket: Socket } | undefined };
}

/** What a handler accepts of a client that asks for a WebSocket. */
export interface WebSocketOptions {
  /** Protocols to choose from; a client that names none gets none. Default: whatever single protocol a client with an origin names. */
  readonly protocols?: readonly string[] | undefined;
  /** Reports whether messages of a protocol are binary, not text. */
  readonly isBinary: (protocol: string) => boolean;
}

/** The answer to it. */
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
   * Takes over the connection of a request to upgrade for a WebSocket, where each write is a message, or refuses. Returns the agreed
   * protocol, empty if the client named none, and undefined after a refusal.
   */
  upgrade?(wanted: WebSocketOptions): string | undefined;
  /** Of a request to upgrade: hands the connection over as it is, with what has come of it already. No answer is written any more. */
  takeOver?(code: number): { readonly connection: Duplex; readonly head: Buffer };
  /** Of HTTP/1.1. */
  readonly writableNeedDrain?: boolean;
  flushHeaders?(): void;
  destroy?(): unknown;
  /** Of HTTP/2. */
  readonly stream?: {
    readonly writableNeedDrain: boolean;
    close(code: number): void;
    on(event: "finish", listener: () => void): unknown;
  };
}

/** The connection that a request came by: the same for all requests of one. */
export const connectionOf = ({ stream, socket }: RequestMessage): Socket => stream?.session?.socket ?? socket;

/** Answers a request, whatever happens. */
export type MessageHandler = (incoming: RequestMessage, response: ResponseMessage) => Promise<void>;

/** Whether more was written than the client takes: `drain` tells when it has. */
export const needsDrain = ({ stream, writableNeedDrain }: ResponseMessage): boolean =>
  stream?.writableNeedDrain ?? writableNeedDrain ?? false;

/** HTTP/2's NO_ERROR and INTERNAL_ERROR. */
const noError = 0x0;
const internalError = 0x2;

/** Ends an answer in the middle, as a failing network would. */
export function cut(response: ResponseMessage): void {
  if (response.stream) response.stream.close(internalError);
  else response.destroy?.();
}

/** To be called before the answer to a request whose body has not come: its connection, or stream, ends with the answer. */
export function endWithAnswer(response: ResponseMessage): void {
  const { stream } = response;
  if (stream) stream.on("finish", () => stream.close(noError));
  else response.setHeader("Connection", "close");
}
