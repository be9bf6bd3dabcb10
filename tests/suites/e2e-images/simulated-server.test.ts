import { expect, it } from "vitest";
import { serverAnswer } from "./simulated-server.ts";

const agnhost = (...args: string[]) => ({
  name: "main",
  image: "registry.k8s.io/e2e-test-images/agnhost:2.63.0",
  args,
});
const get = (path: string, port: number | string) => ({ httpGet: { path, port } });

it("is healthy for ten seconds if the image is written this way", () => {
  expect(serverAnswer(agnhost("liveness"), get("/healthz", 8080), 9_000).isGood).toBe(true);
  expect(serverAnswer(agnhost("liveness"), get("/healthz", 8080), 11_000)).toEqual({
    isGood: false,
    message: "HTTP probe failed with statuscode: 500",
  });
  expect(serverAnswer(agnhost("liveness"), { tcpSocket: { port: 8080 } }, 11_000).isGood).toBe(true);
});

it("follows a redirect on the same host only", () => {
  expect(serverAnswer(agnhost("liveness"), get("/redirect?loc=%2Fhealthz", 8080), 11_000).isGood).toBe(false);
  const away = serverAnswer(agnhost("liveness"), get("/redirect?loc=http%3A%2F%2F0.0.0.0%2F", 8080), 11_000);
  expect(away.isGood).toBe(true);
  expect(away.message).toContain("Probe terminated redirects");
});

it("has no listeners for a shell, and succeeds for unknown images", () => {
  expect(serverAnswer(agnhost("test-webserver"), get("/", 81), 0).isGood).toBe(false);
  expect(serverAnswer(agnhost("test-webserver"), get("/", 80), 0).isGood).toBe(true);
  const shell = { name: "main", image: "busybox", command: ["/bin/sh", "-c", "sleep 1000"] };
  expect(serverAnswer(shell, get("/healthz", 8080), 0).message).toContain("connection refused");
  expect(serverAnswer({ name: "main", image: "nginx" }, get("/", "http"), 0).isGood).toBe(true);
});
