import { request } from "node:http";

/** Answers of the stand-in for etcd carry this header, so that the stand-in for kube-apiserver knows it. */
export const standInHeader = "x-kubewright-stand-in";

const timeoutMs = 2_000;

/** Whether the stand-in for etcd answers at that address. What does not answer, or not in time, is none. */
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
