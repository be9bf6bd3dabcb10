import { TLSSocket } from "node:tls";

/**
 * Lets a TLS client survive any certificate that a server sends. Must be called before the handshake; ignores sockets
 * without TLS.
 *
 * Node describes the server's certificate, and each certificate that the server sends with it, before it compares the
 * host name. If one of the keys is on a curve without a NIST name, such as `brainpoolP256r1`, Node 24.21 ends the process
 * with a segmentation fault. This function replaces the description with the parts that the comparison needs.
 */
export function describePeerSafely(socket: unknown): void {
  if (!(socket instanceof TLSSocket)) return;
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
