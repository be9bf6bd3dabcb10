import { connect } from "node:tls";
import { type Clock, systemClock } from "@kubewright/clock";

const timeoutMs = 5_000;

/**
 * Connects to a webhook's address and verifies its certificate.
 *
 * @param ca CA bundle in PEM
 * @returns the reason why an API server could not call the webhook, or undefined if it could
 */
export async function problemServing(url: string, ca: string, clock: Clock = systemClock): Promise<string | undefined> {
  const { hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, "");
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const servername = /^[\d.]+$|:/.test(host) ? undefined : host;
  const socket = connect({
    ...{ host, port: Number(port || 443), ca },
    ...(servername === undefined ? {} : { servername }),
  });
  const timer = clock.after(timeoutMs, () => resolve(`no response within ${timeoutMs} ms`));
  socket.once("secureConnect", () => resolve(undefined));
  socket.once("error", (error) => resolve(error.message));
  try {
    return await promise;
  } finally {
    timer.cancel();
    socket.destroy();
  }
}
