import { type ClientHttp2Session, type ClientHttp2Stream, constants } from "node:http2";

/**
 * Ends HTTP/2 streams that belong to no request. If a request is cancelled at the moment its response arrives, Node has already forgotten
 * the stream, treats the response as a stream that the server opened, and emits it as `stream` of the session. undici does not listen to
 * that event: the stream would stay open as long as its connection, and then end the process, because an error of the connection (also its
 * destruction) is emitted on each of its streams, and this one has no error listener.
 */
export function endStrayStreams(session: ClientHttp2Session): void {
  session.on("stream", (stream: ClientHttp2Stream) => {
    stream.on("error", ignoreErrorsOfStrayStream);
    stream.close(constants.NGHTTP2_CANCEL);
    stream.destroy();
  });
}

/**
 * Returns the HTTP/2 session of an undici client, if there is one. undici does not expose it but stores it under a symbol; it is
 * recognised by its methods.
 */
export function sessionOf(client: object): ClientHttp2Session | undefined {
  return Object.getOwnPropertySymbols(client)
    .map((symbol): unknown => Reflect.get(client, symbol))
    .find(isClientSession);
}

const isClientSession = (value: unknown): value is ClientHttp2Session =>
  typeof value === "object" && value !== null && "goaway" in value && "request" in value && "ping" in value;

/** No request is waiting for such a stream, so its errors are ignored. */
function ignoreErrorsOfStrayStream(): void {}
