import { connect } from "node:tls";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { ApiServer } from "./api-server.ts";
import { group, version } from "./testing/extension-documents.ts";
import { createService, ExtensionServer } from "./testing/extension-server.ts";
import { tlsCall } from "./testing/tls-client.ts";

const exec = `/apis/${group}/${version}/namespaces/shop/orders/one/exec`;
const registered = `/apis/apiregistration.k8s.io/v1/apiservices`;

let server: ApiServer;
const extension = new ExtensionServer();

const call = (method: string, path: string, body?: unknown) => {
  const { certData: cert = "", keyData: key = "" } = server.connection();
  return tlsCall(server, path, { method, cert, key, ...(body === undefined ? {} : { body }) });
};

beforeAll(async () => {
  server = await ApiServer.start();
  await createService({ post: (path, body) => call("POST", path, body) });
  await extension.listen();
  expect((await call("POST", registered, extension.registration())).status).toBe(201);
  await vi.waitFor(async () => {
    const { body } = await call("GET", `${registered}/${version}.${group}`);
    expect(body.status?.conditions?.[0].reason).toBe("Passed");
  }, 5_000);
});
afterAll(async () => {
  await server.stop();
  await extension.close();
});

/** Requests another protocol. */
function upgrade(protocol: string) {
  const { caData: ca, certData: cert, keyData: key } = server.connection();
  const socket = connect({ host: "127.0.0.1", port: server.port, ca, cert, key, ALPNProtocols: ["http/1.1"] });
  const received = { text: "" };
  socket.setEncoding("latin1").on("data", (text: string) => {
    received.text += text;
  });
  const closed = new Promise<void>((resolve) => socket.on("close", () => resolve()));
  const headers = ["Host: x", "Connection: Upgrade", `Upgrade: ${protocol}`, "X-Remote-User: root"];
  socket.write(`GET ${exec}?command=a HTTP/1.1\r\n${headers.join("\r\n")}\r\n\r\n`);
  return { socket, received, closed };
}

it("hands over an upgraded connection until one end closes", async () => {
  const { socket, received, closed } = upgrade("echo");
  await vi.waitFor(() => expect(received.text).toContain("hello "), 5_000);
  expect(received.text).toMatch(/^HTTP\/1.1 101 Switching Protocols\r\n/);
  socket.write("and back");
  await vi.waitFor(() => expect(received.text).toMatch(/hello and back$/), 5_000);
  const seen = extension.seen.find(({ url }) => url.startsWith(exec));
  expect(seen?.headers).toMatchObject({ "x-remote-user": "admin", upgrade: "echo" });
  expect(seen?.url).toBe(`${exec}?command=a`);
  await extension.close();
  await closed;
});

it("rejects an upgrade if the extension server is unavailable", async () => {
  const { received } = upgrade("echo");
  await vi.waitFor(
    () => expect(received.text).toMatch(/^HTTP\/1.1 503 .*connection refused|service unavailable/s),
    5_000,
  );
});
