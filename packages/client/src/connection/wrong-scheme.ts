import { isIP } from "node:net";

/** A probe that takes longer proves nothing. */
const probeMs = 2_000;

/** An answer that is no TLS record, in the words of OpenSSL's versions. */
const plainAnswer = new Set(["ERR_SSL_WRONG_VERSION_NUMBER", "ERR_SSL_PACKET_LENGTH_TOO_LONG", "ERR_SSL_HTTP_REQUEST"]);

/** What OpenSSL says of a certificate whose authority it was not told of. */
const unknownIssuer = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);

/**
 * Why a request failed, where the address of the server has `http` in place of `https` or the other way round, or nobody vouches for the
 * server's certificate; otherwise the error as it is. A server that wants TLS closes plain connections without a word, so it is asked for a handshake.
 */
export async function schemeFailure(server: URL, error: unknown): Promise<unknown> {
  if (server.protocol === "https:") {
    if (hasCode(error) && unknownIssuer.has(error.code)) return unknownAuthority(server, error);
    if (!hasCode(error) || !plainAnswer.has(error.code)) return error;
    const remedy = `is the port right? If the server speaks plain http, its address must begin with http://`;
    return new Error(`${server.host} does not speak https, it answered in plain text: ${remedy}`, { cause: error });
  }
  const isSilent = hasCode(error) && (error.code === "UND_ERR_SOCKET" || error.code === "ECONNRESET");
  return isSilent && (await speaksTls(server)) ? wantsHttps(server, error) : error;
}

/** A refusal that no API server writes: Go's servers answer plain requests on a port for TLS with a line of text, and no header. */
export const isBareRefusal = (
  server: URL,
  { status, headers }: { readonly status: number; readonly headers: Readonly<Record<string, unknown>> },
): boolean => status === 400 && server.protocol === "http:" && headers["content-type"] === undefined;

/** The error that a bare refusal stands for, if the server wants TLS. */
export const schemeRefusal = async (server: URL): Promise<Error | undefined> =>
  (await speaksTls(server)) ? wantsHttps(server) : undefined;

const wantsHttps = (server: URL, cause?: unknown): Error =>
  new Error(
    `${server.host} speaks https, not http: its address must begin with https:// (in a kubeconfig: clusters[].cluster.server)`,
    { cause },
  );

const unknownAuthority = (server: URL, cause: Error): Error =>
  new Error(
    `the certificate of ${server.host} is signed by an authority that is not trusted (${cause.message.split(";", 1)[0]}): give the ` +
      "cluster's (in a kubeconfig: clusters[].cluster.certificate-authority-data)",
    { cause },
  );

const hasCode = (error: unknown): error is Error & { readonly code: string } =>
  error instanceof Error && "code" in error && typeof error.code === "string";

async function speaksTls({ hostname, port }: URL): Promise<boolean> {
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
