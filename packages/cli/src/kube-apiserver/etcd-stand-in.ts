import { request } from "node:http";

/** Response header by which the stand-in for kube-apiserver recognizes the stand-in for etcd. */
export const standInHeader = "x-kubewright-stand-in";

const timeoutMs = 2_000;

/** Returns true if the stand-in for etcd responds at the address in time. */
export function isEtcdStandIn(server: string): Promise<boolean> {
  const url = URL.canParse(server) ? new URL("/version", server) : undefined;
  if (url?.protocol !== "http:") return Promise.resolve(false);
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const sent = request(url, { timeout: timeoutMs, agent: false }, (response) => {
    response.resume();
    resolve(response.headers[standInHeader] !== undefined);
  });
  sent.on("timeout", () => sent.destroy());
  sent.on("error", () => resolve(false));
  sent.on("close", () => resolve(false));
  sent.end();
  return promise;
}
