import { expect, it } from "vitest";
import { serverResult } from "./simulated-server.ts";

const agnhost = (...args: string[]) => ({
  name: "main",
  image: "registry.k8s.io/e2e-test-images/agnhost:2.63.0",
  args,
});
const get = (path: string, port: number | string) => ({ httpGet: { path, port } });

it("is healthy for ten seconds if the image is written this way", () => {
  expect(serverResult(agnhost("liveness"), get("/healthz", 8080), 9_000).isGood).toBe(true);
  expect(serverResult(agnhost("liveness"), get("/healthz", 8080), 11_000)).toEqual({
    isGood: false,
    message: "HTTP probe failed with statuscode: 500",
  });
  expect(serverResult(agnhost("liveness"), { tcpSocket: { port: 8080 } }, 11_000).isGood).toBe(true);
});

it("follows a redirect on the same host only", () => {
  expect(serverResult(agnhost("liveness"), get("/redirect?loc=%2Fhealthz", 8080), 11_000).isGood).toBe(false);
  const away = serverResult(agnhost("liveness"), get("/redirect?loc=http%3A%2F%2F0.0.0.0%2F", 8080), 11_000);
  expect(away.isGood).toBe(true);
  expect(away.message).toContain("Probe terminated redirects");
});

it("has no listeners for a shell, and succeeds for unknown images", () => {
  expect(serverResult(agnhost("test-webserver"), get("/", 81), 0).isGood).toBe(false);
  expect(serverResult(agnhost("test-webserver"), get("/", 80), 0).isGood).toBe(true);
  const shell = { name: "main", image: "busybox", command: ["/bin/sh", "-c", "sleep 1000"] };
  expect(serverResult(shell, get("/healthz", 8080), 0).message).toContain("connection refused");
  expect(serverResult({ name: "main", image: "nginx" }, get("/", "http"), 0).isGood).toBe(true);
});
