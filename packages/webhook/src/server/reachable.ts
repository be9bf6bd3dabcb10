const timeoutMs = 10_000;
const anywhere = new Set(["", "0.0.0.0", "::"]);

/** Resolves if a TLS connection can be established. @throws {Error} with the reason if it cannot */
export async function checkReachable(port: number, host = ""): Promise<void> {
  const { connect } = await import("node:tls");
  await new Promise<void>((resolve, reject) => {
    const fail = (cause: Error): void => {
      socket.destroy();
      reject(new Error(`webhook server is not reachable: ${cause.message}`, { cause }));
    };
    // the certificate is known; the check is that the server responds
    const socket = connect(
      { port, host: anywhere.has(host) ? "localhost" : host, rejectUnauthorized: false, timeout: timeoutMs },
      () => {
        socket.destroy();
        resolve();
      },
    );
    // a server that requires client certificates rejects this connection with an alert, which is a response
    socket.once("error", (cause) => (isAlert(cause) ? resolve() : fail(cause)));
    socket.once("timeout", () => fail(new Error(`no response within ${timeoutMs / 1_000}s`)));
  });
}

const isAlert = (error: Error): boolean => "code" in error && /^ERR_SSL_.*ALERT/.test(String(error.code));
