import { request } from "node:http";
import { systemClock } from "@kubewright/clock";

/** Response header by which the stand-in for kube-apiserver recognizes the stand-in for etcd. */
export const standInHeader = "x-kubewright-stand-in";

const timeoutMs = 2_000;
const pauseMs = 50;

/**
 * Reports whether the server at the address is the stand-in for etcd. If no server responds, tries again until the
 * signal aborts, because test frameworks start etcd and kube-apiserver at the same time.
 */
export async function isEtcdStandIn(server: string, signal: AbortSignal): Promise<boolean> {
  const url = URL.canParse(server) ? new URL("/version", server) : undefined;
  if (url?.protocol !== "http:") return false;
  for (;;) {
    const isStandIn = await respondsAsStandIn(url);
    if (isStandIn !== undefined) return isStandIn;
    if (signal.aborted) return false;
    await systemClock.sleep(pauseMs);
  }
}

/** Returns undefined if no server responds. */
function respondsAsStandIn(url: URL): Promise<boolean | undefined> {
  const { promise, resolve } = Promise.withResolvers<boolean | undefined>();
  const sent = request(url, { timeout: timeoutMs, agent: false }, (response) => {
    response.resume();
    resolve(response.headers[standInHeader] !== undefined);
  });
  sent.on("timeout", () => sent.destroy());
  sent.on("error", () => resolve(undefined));
  sent.on("close", () => resolve(undefined));
  sent.end();
  return promise;
}
