import type { TLSSocket } from "node:tls";

/**
 * Lets a TLS client survive any certificate that a server sends. Must be called before the handshake; ignores sockets
 * without TLS.
 *
 * Node describes the server's certificate, and each certificate that the server sends with it, before it compares the
 * host name. If one of the keys is on a curve without a NIST name, such as `brainpoolP256r1`, Node 24.21 ends the process
 * with a segmentation fault. This function replaces the description with the parts that the comparison needs.
 */
export function describePeerSafely(socket: unknown): void {
  if (!isTls(socket)) return;
  const value = (): object => {
    const shown = socket.getPeerX509Certificate();
    const commonName = /^CN=(.*)$/m.exec(shown?.subject ?? "")?.[1];
    return {
      subject: commonName === undefined ? {} : { CN: commonName },
      ...(shown?.subjectAltName === undefined ? {} : { subjectaltname: shown.subjectAltName }),
    };
  };
  Object.defineProperty(socket, "getPeerCertificate", { value });
}

/** Does not load `node:tls`, because most importers of this package never connect. */
const isTls = (socket: unknown): socket is TLSSocket =>
  typeof socket === "object" && socket !== null && "getPeerX509Certificate" in socket;
