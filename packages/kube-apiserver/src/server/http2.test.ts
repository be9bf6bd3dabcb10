import { connect } from "node:http2";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ApiServer } from "./api-server.ts";

let server: ApiServer;
beforeEach(async () => {
  server = await ApiServer.start();
});
afterEach(() => server.stop());

interface ReceivedResponse {
  readonly status: number;
  readonly headers: Record<string, unknown>;
  readonly text: string;
}

/** Opens one HTTP/2 connection for a user, authenticated by certificate. */
function session() {
  const { server: url, caData = "", certData = "", keyData = "" } = server.connection();
  const http2 = connect(url, { ca: caData, cert: certData, key: keyData });
  const call = (method: string, path: string, body?: unknown): Promise<ReceivedResponse> =>
    new Promise((resolve, reject) => {
      const stream = http2.request({ ":method": method, ":path": path, "content-type": "application/json" });
      let text = "";
      let headers: Record<string, unknown> = {};
      stream.on("error", reject).on("response", (received) => {
        headers = { ...received };
      });
      stream.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      stream.on("end", () => resolve({ status: Number(headers[":status"]), headers, text }));
      stream.end(body === undefined ? undefined : JSON.stringify(body));
    });
  return { http2, call, close: () => http2.destroy() };
}

const configMaps = "/api/v1/namespaces/default/configmaps";
const configMap = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } });

test("answers concurrent requests of one connection, authenticated by its certificate", async () => {
  const { call, close, http2 } = session();
  const names = Array.from({ length: 50 }, (_, index) => `c${index}`);
  const created = await Promise.all(names.map((name) => call("POST", configMaps, configMap(name))));
  expect(created.map(({ status }) => status)).toEqual(names.map(() => 201));
  expect(created[0]?.headers).toMatchObject({ "content-type": "application/json", "audit-id": expect.any(String) });
  const review = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" };
  const { text } = await call("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", review);
  expect(JSON.parse(text).status.userInfo).toMatchObject({ username: "admin" });
  expect(http2.alpnProtocol).toBe("h2");
  close();
});

test("watches share the connection, and end separately", async () => {
  const { call, close, http2 } = session();
  const watch = (path: string) => {
    const stream = http2.request({ ":path": path });
    const events: string[] = [];
    const reached = Promise.withResolvers<void>();
    let rest = "";
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) events.push(`${JSON.parse(line).type} ${JSON.parse(line).object.metadata.name}`);
      if (events.at(-1) === "ADDED last") reached.resolve();
    });
    return { stream, events, reached: reached.promise };
  };
  const one = watch(`${configMaps}?watch=true`);
  const other = watch(`${configMaps}?watch=true`);
  await call("POST", configMaps, configMap("first"));
  await call("POST", configMaps, configMap("last"));
  await Promise.all([one.reached, other.reached]);
  expect(one.events).toEqual(["ADDED first", "ADDED last"]);
  one.stream.close();
  await expect.poll(() => server.watchCount).toBe(1);
  expect((await call("GET", configMaps)).status).toBe(200);
  close();
  await expect.poll(() => server.watchCount).toBe(0);
});

test("a slow reader receives a large list completely", async () => {
  const { call, close, http2 } = session();
  const filling = "x".repeat(500_000);
  for (let n = 0; n < 10; n++) await call("POST", configMaps, { ...configMap(`big${n}`), data: { filling } });
  const stream = http2.request({ ":path": configMaps });
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += (chunk as Buffer).length;
    if (bytes % 7 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  expect(bytes).toBeGreaterThan(5_000_000);
  close();
});

test("a truncated body affects no other stream of the connection", async () => {
  const { call, close, http2 } = session();
  const stream = http2.request({ ":method": "POST", ":path": configMaps, "content-type": "application/json" });
  stream.on("error", () => {}); // closed by this test
  stream.write('{"apiVersion":');
  stream.close(8);
  expect((await call("GET", configMaps)).status).toBe(200);
  close();
});

test("a server without it uses HTTP/1.1", async () => {
  await using plain = await ApiServer.start({ http2: false });
  const { server: url, caData = "" } = plain.connection();
  const http2 = connect(url, { ca: caData });
  await expect(new Promise((_, reject) => http2.on("error", reject))).rejects.toThrow();
  http2.destroy();
});
