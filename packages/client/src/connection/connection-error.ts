import { isIP } from "node:net";
import { isErrorWithCode, KubewrightError } from "@kubewright/apimachinery";

/**
 * Thrown if no response arrived: the server could not be reached, the connection broke, or the response was truncated.
 * The message describes the call, and `cause` is the underlying error. The server may or may not have processed the
 * request.
 */
export class ConnectionError extends KubewrightError {
  override readonly name = "ConnectionError";
  readonly code = "ERR_CONNECTION";
  /** HTTP method, such as `GET` or `POST`. */
  readonly method: string;
  /** URL without the query. */
  readonly url: string;

  constructor(
    attempt: { readonly method: string; readonly url: string; readonly what?: string | undefined },
    cause: unknown,
  ) {
    super(`${attempt.what ? `${attempt.what}: ` : ""}${attempt.method} ${attempt.url}: ${reasonOf(cause)}`, { cause });
    this.method = attempt.method;
    this.url = attempt.url;
  }
}

/**
 * Reports whether an error itself is a {@link ConnectionError}. For an error that may be wrapped, use `findCause(error,
 * isConnectionError)`.
 */
export const isConnectionError = isErrorWithCode<ConnectionError>("ERR_CONNECTION");

/**
 * Returns the most informative message in a chain of causes. If connections to several addresses failed, returns the messages for all of
 * them.
 */
function reasonOf(cause: unknown): string {
  if (cause instanceof AggregateError && cause.errors.length > 0)
    return cause.errors.map((part: unknown) => reasonOf(part)).join("; ");
  if (!(cause instanceof Error)) return String(cause);
  return cause.message || ("code" in cause ? String(cause.code) : cause.name);
}

/** Time limit for the probe. A slower probe is inconclusive. */
const probeMs = 2_000;

/** Error codes that different OpenSSL versions use for a response that is not a TLS record. */
const plaintextCodes = new Set([
  "ERR_SSL_WRONG_VERSION_NUMBER",
  "ERR_SSL_PACKET_LENGTH_TOO_LONG",
  "ERR_SSL_HTTP_REQUEST",
]);

/** OpenSSL error codes for a certificate from an unknown authority. */
const unknownIssuer = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);

/**
 * Returns an error that explains why a request failed if the server address has the wrong scheme (`http` or `https`) or
 * the server's certificate is not trusted; otherwise, returns the error unchanged. Because a TLS server closes
 * plain-text connections without a message, the function probes the server with a TLS handshake.
 */
export async function schemeFailure(server: URL, error: unknown): Promise<unknown> {
  if (server.protocol === "https:") {
    if (hasCode(error) && unknownIssuer.has(error.code)) return unknownAuthority(server, error);
    if (!hasCode(error) || !plaintextCodes.has(error.code)) return error;
    const remedy = "check the port, or use an address that begins with http:// if the server uses plain HTTP";
    return new Error(`${server.host} does not use HTTPS; it responded in plain text: ${remedy}`, { cause: error });
  }
  const isSilent = hasCode(error) && (error.code === "UND_ERR_SOCKET" || error.code === "ECONNRESET");
  return isSilent && (await supportsTls(server)) ? wantsHttps(server, error) : error;
}

/**
 * Reports whether a response comes from the TLS layer of a Go server instead of an API server: such a server responds
 * to plain-text requests on a TLS port with a line of text and no headers.
 */
export const isBareRefusal = (
  server: URL,
  { status, headers }: { readonly status: number; readonly headers: Readonly<Record<string, unknown>> },
): boolean => status === 400 && server.protocol === "http:" && headers["content-type"] === undefined;

/** Returns the error for such a response ({@link isBareRefusal}) if the server requires TLS. */
export const schemeRefusal = async (server: URL): Promise<Error | undefined> =>
  (await supportsTls(server)) ? wantsHttps(server) : undefined;

const wantsHttps = (server: URL, cause?: unknown): Error =>
  new Error(
    `${server.host} uses HTTPS, not HTTP; use an address that begins with https:// (in a kubeconfig: clusters[].cluster.server)`,
    { cause },
  );

const unknownAuthority = (server: URL, cause: Error): Error =>
  new Error(
    `the certificate of ${server.host} is signed by an authority that is not trusted (${cause.message.split(";", 1)[0]}); set the ` +
      "cluster's CA certificate (in a kubeconfig: clusters[].cluster.certificate-authority-data)",
    { cause },
  );

const hasCode = (error: unknown): error is Error & { readonly code: string } =>
  error instanceof Error && "code" in error && typeof error.code === "string";

async function supportsTls({ hostname, port }: URL): Promise<boolean> {
  const { connect } = await import("node:tls");
  const host = hostname.replace(/^\[|\]$/g, "");
  return new Promise((resolve) => {
    const options = { host, port: Number(port || 80), rejectUnauthorized: false, timeout: probeMs };
    const socket = connect(isIP(host) ? options : { ...options, servername: host });
    const answer = (speaks: boolean) => (): void => {
      resolve(speaks);
      socket.destroy();
    };
    socket.on("secureConnect", answer(true)).on("error", answer(false)).on("timeout", answer(false));
    socket.on("close", answer(false));
  });
}
