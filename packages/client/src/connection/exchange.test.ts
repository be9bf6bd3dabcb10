import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it } from "vitest";
import { Connection } from "./connection.ts";
import type { RequestObserver } from "./exchange.ts";

let server: Server | undefined;
afterEach(() => void server?.close());

it("reports each name lookup, but none for addresses", async () => {
  server = createServer((_request, response) => void response.end("hello"));
  await new Promise<void>((resolve) => server?.listen(0, "localhost", resolve));
  const { port } = server.address() as AddressInfo;
  const observed: string[] = [];
  const observer: RequestObserver = {
    answered: ({ code }) => void observed.push(code),
    resolved: ({ host, durationMs }) => void observed.push(`${host} ${durationMs >= 0}`),
  };
  const ask = async (server: string) => {
    await using connection = new Connection({ server });
    connection.observe(observer);
    await connection.request({ path: "/" });
  };
  await ask(`http://localhost:${port}`);
  const { address, family } = server.address() as AddressInfo;
  await ask(`http://${family === "IPv6" ? `[${address}]` : address}:${port}`);
  expect(observed).toEqual(["localhost true", "200", "200"]);
});

it("reports every try, bodies and retries, until it is stopped", async () => {
  let isBusy = true;
  server = createServer((_request, response) => {
    if (isBusy) response.writeHead(429, { "retry-after": "0" }).end("busy");
    else response.end("hello");
    isBusy = false;
  });
  await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  await using connection = new Connection({ server: `http://${host}` });
  const observed: unknown[] = [];
  const observer: RequestObserver = {
    answered: ({ durationMs, ...answered }) => void observed.push({ ...answered, isTimed: durationMs >= 0 }),
    received: (received) => void observed.push(received),
    retried: (retried) => void observed.push(retried),
  };
  const stop = connection.observe(observer);
  await connection.request({ method: "POST", path: "/", body: "héllo" });
  const where = { method: "POST", host };
  expect(observed).toEqual([
    { ...where, path: "/", code: "429", bytes: 6, isTimed: true },
    { ...where, bytes: 4 },
    { ...where, code: "429" },
    { ...where, path: "/", code: "200", bytes: 6, isTimed: true },
    { ...where, bytes: 5 },
  ]);
  stop();
  await connection.request({ path: "/" });
  expect(observed).toHaveLength(5);
});

it("reports a request without a response", async () => {
  const codes: string[] = [];
  await using connection = new Connection({ server: "http://127.0.0.1:1" });
  connection.observe({ answered: ({ code }) => void codes.push(code) });
  await expect(connection.request({ path: "/" })).rejects.toThrow();
  expect(codes).toEqual(["<error>"]);
});

it("reports the server's message for a refusal once, also for watches", async () => {
  const message = 'pods is forbidden: User "jane" cannot list resource "pods" in API group "" at the cluster scope';
  const body = JSON.stringify({ kind: "Status", apiVersion: "v1", status: "Failure", message, code: 403 });
  server = createServer((request, response) => response.writeHead(request.url === "/none" ? 404 : 403).end(body));
  await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  await using connection = new Connection({ server: `http://${host}` });
  const observed: unknown[] = [];
  connection.observe({ answered() {}, forbidden: (refused) => void observed.push(refused) });
  await connection.request({ path: "/api/v1/pods", query: { limit: 1 } });
  await connection.request({ path: "/none" });
  await expect(connection.stream({ path: "/api/v1/pods", query: { watch: true } })).rejects.toThrow(message);
  expect(observed).toEqual([
    { method: "GET", host, path: "/api/v1/pods?limit=1", message },
    { method: "GET", host, path: "/api/v1/pods?watch=true", message },
  ]);
});
