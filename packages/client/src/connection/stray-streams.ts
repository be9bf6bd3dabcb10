import { type ClientHttp2Session, type ClientHttp2Stream, constants } from "node:http2";

/**
 * Ends HTTP/2 streams that belong to no request. When a request is given up in the moment in which its answer arrives, Node has
 * forgotten the stream already, takes the answer for a stream that the server opened, and hands it to whoever listens to the
 * session's `stream`. undici does not: the stream would stay for as long as its connection, and end the process with it, since an
 * error of the connection (being destroyed is one) is emitted on each of its streams and nobody listens to this one's.
 */
export function endStrayStreams(session: ClientHttp2Session): void {
  session.on("stream", (stream: ClientHttp2Stream) => {
    stream.on("error", ignoreErrorsOfStrayStream);
    stream.close(constants.NGHTTP2_CANCEL);
    stream.destroy();
  });
}

/**
 * The HTTP/2 session behind an undici client, if there is one. undici gives it to nobody but keeps it under a symbol; it is known
 * by what it can do.
 */
export function sessionOf(client: object): ClientHttp2Session | undefined {
  return Object.getOwnPropertySymbols(client)
    .map((symbol): unknown => Reflect.get(client, symbol))
    .find(isClientSession);
}

const isClientSession = (value: unknown): value is ClientHttp2Session =>
  typeof value === "object" && value !== null && "goaway" in value && "request" in value && "ping" in value;

/** Nobody waits for such a stream, so nobody is to be told. */
function ignoreErrorsOfStrayStream(): void {}
