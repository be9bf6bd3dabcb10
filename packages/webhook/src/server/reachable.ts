const timeoutMs = 10_000;
const anywhere = new Set(["", "0.0.0.0", "::"]);

/** Resolves when a TLS connection could be made. @throws {Error} that says why none could */
export async function checkReachable(port: number, host = ""): Promise<void> {
  const { connect } = await import("node:tls");
  await new Promise<void>((resolve, reject) => {
    const fail = (cause: Error): void => {
      socket.destroy();
      reject(new Error(`webhook server is not reachable: ${cause.message}`, { cause }));
    };
    // whom it belongs to is known: that it answers is asked
    const socket = connect(
      { port, host: anywhere.has(host) ? "localhost" : host, rejectUnauthorized: false, timeout: timeoutMs },
      () => {
        socket.destroy();
        resolve();
      },
    );
    // a server that wants a certificate of its callers refuses this one by an alert, which is an answer
    socket.once("error", (cause) => (isAlert(cause) ? resolve() : fail(cause)));
    socket.once("timeout", () => fail(new Error(`no answer within ${timeoutMs / 1_000}s`)));
  });
}

const isAlert = (error: Error): boolean => "code" in error && /^ERR_SSL_.*ALERT/.test(String(error.code));
