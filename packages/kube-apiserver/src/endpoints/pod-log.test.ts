import { once } from "node:events";
import { request } from "node:http";
import { badRequest } from "@kubewright/apimachinery";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { WebSocket } from "ws";
import type { ContainerLogRequest } from "../kubelet/kubelets.ts";
import { ApiServer } from "../server/api-server.ts";
import { ApiClient } from "../server/testing/api-client.ts";

const core = "/api/v1/namespaces/default";
const log = `${core}/pods/web/log`;
let server: ApiServer;
let api: ApiClient;
let reader: ApiClient;
let podUid: string;

const asked: { node: string; request: ContainerLogRequest; signal: AbortSignal }[] = [];
let pieces: () => AsyncIterable<Uint8Array>;

beforeEach(() => {
  asked.length = 0;
  pieces = async function* () {
    yield Buffer.from("one\n");
    yield Buffer.from("two\n");
  };
});
beforeAll(async () => {
  server = await ApiServer.start({
    tls: false,
    disableAdmissionPlugins: ["ServiceAccount"],
    authorization: ["RBAC"],
    users: [{ name: "reader", groups: [] }],
    kubelets: {
      async containerLog(node, request, signal) {
        asked.push({ node, request, signal });
        if (request.container === "slow")
          throw badRequest('container "slow" in pod "web" is waiting to start: ContainerCreating');
        return node === "here" ? pieces() : undefined;
      },
      exec: async () => undefined,
      attach: async () => undefined,
      portForward: async () => undefined,
    },
  });
  api = new ApiClient(server);
  reader = new ApiClient(server, "reader");
  for (const name of ["here", "elsewhere"]) {
    await api.post("/api/v1/nodes", { metadata: { name } });
    const addresses = [{ type: "InternalIP", address: "10.0.0.9" }];
    await api.patch(`/api/v1/nodes/${name}/status`, "merge", { status: { addresses } });
  }
  const containers = ["main", "slow"].map((name) => ({ name, image: "x" }));
  const pod = (name: string, nodeName: string) => ({ metadata: { name }, spec: { nodeName, containers } });
  podUid = (await api.post(`${core}/pods`, pod("web", "here"))).body.metadata.uid;
  await api.post(`${core}/pods`, pod("far", "elsewhere"));
});
afterAll(async () => {
  api.close();
  reader.close();
  await server.stop();
});

it("requests the log from the kubelet of the pod's node, and forwards its bytes as text", async () => {
  const answer = await api.get(`${log}?container=main`);
  expect([answer.status, answer.text]).toEqual([200, "one\ntwo\n"]);
  expect(answer.headers["content-type"]).toBe("text/plain");
  const request = { namespace: "default", pod: "web", podUid, container: "main" };
  expect(asked).toMatchObject([{ node: "here", request }]);
  expect(asked[0]?.request).toEqual({ ...request, follow: false, previous: false, timestamps: false });
});

it("forwards the log options", async () => {
  const flags = "follow=true&previous=1&timestamps=true&insecureSkipTLSVerifyBackend=true";
  await api.get(`${log}?container=main&${flags}&tailLines=0&limitBytes=7&sinceSeconds=60`);
  expect(asked[0]?.request).toMatchObject({ follow: true, previous: true, timestamps: true });
  expect(asked[0]?.request).toMatchObject({ tailLines: 0, limitBytes: 7, sinceSeconds: 60 });
  await api.get(`${log}?container=main&sinceTime=2026-01-01T00:00:01.9Z`);
  expect(asked[1]?.request.sinceMs).toBe(Date.UTC(2026, 0, 1, 0, 0, 1));
});

it("returns an empty log without output", async () => {
  pieces = async function* () {};
  const answer = await api.get(`${log}?container=main`);
  expect([answer.status, answer.text]).toEqual([200, ""]);
});

it("returns the kubelet's error for a container without a log", async () => {
  const { body } = await api.get(`${log}?container=slow`);
  expect(body).toMatchObject({ code: 400, reason: "BadRequest" });
  expect(body.message).toBe('container "slow" in pod "web" is waiting to start: ContainerCreating');
});

it("needs a name if there are several containers, and a kubelet in this process", async () => {
  expect((await api.get(log)).body.message).toBe(
    "a container name must be specified for pod web, choose one of: [main slow]",
  );
  expect((await api.get(`${core}/pods/far/log?container=main`)).status).toBe(501);
});

it("requires permission to get pods/log", async () => {
  const { body } = await reader.get(`${log}?container=main`);
  expect(body).toMatchObject({ code: 403 });
  expect(body.message).toContain('cannot get resource "pods/log"');
  expect(asked).toEqual([]);
});

it("ends a followed log when the client disconnects, and reads no faster than the client", async () => {
  let taken = 0;
  const piece = Buffer.alloc(64 * 1024, "x");
  pieces = async function* () {
    for (;;) {
      yield piece;
      taken += 1;
    }
  };
  const { server: url, token } = server.connection();
  const response = await new Promise<import("node:http").IncomingMessage>((resolve, reject) => {
    const sent = request(`${url}${log}?container=main&follow=true`, { headers: { authorization: `Bearer ${token}` } });
    sent.on("response", resolve).on("error", reject).end();
  });
  response.pause();
  const seen: number[] = [];
  const hasSettled = (): boolean => seen.push(taken) > 1 && seen.at(-1) === seen.at(-2);
  await expect.poll(hasSettled, { interval: 200 }).toBe(true);
  expect(taken).toBeLessThan(1_000);
  expect(asked[0]?.signal.aborted).toBe(false);
  response.on("error", () => {}); // this test closes it
  response.destroy();
  await expect.poll(() => asked[0]?.signal.aborted).toBe(true);
});

const socketTo = (path: string, protocols: string[] = []): WebSocket => {
  const { server: url, token } = server.connection();
  return new WebSocket(`${url.replace("http", "ws")}${path}`, protocols, {
    headers: { authorization: `Bearer ${token}` },
  });
};

it.each([
  ["without a protocol", [], "", true, ["", "one\n", "two\n"]],
  ["in binary", ["binary.k8s.io"], "binary.k8s.io", true, ["", "one\n", "two\n"]],
  ["in Base64", ["unknown", "base64.binary.k8s.io"], "base64.binary.k8s.io", false, ["", "b25lCg==", "dHdvCg=="]],
])("sends the log in messages of a WebSocket %s", async (_, protocols, agreed, isBinary, expected) => {
  const socket = socketTo(`${log}?container=main`, protocols);
  const messages: [text: string, isBinary: boolean][] = [];
  socket.on("message", (data, binary) => messages.push([String(data), binary]));
  const [code] = await once(socket, "close");
  expect([code, socket.protocol]).toEqual([1000, agreed]);
  expect(messages).toEqual(expected.map((text) => [text, isBinary]));
});

it("answers a WebSocket with HTTP while nothing is sent, and rejects unknown protocols", async () => {
  const refused = async (path: string, protocols?: string[]) => {
    const socket = socketTo(path, protocols);
    socket.on("error", () => {});
    const [, response] = await once(socket, "unexpected-response");
    socket.terminate();
    return response.statusCode;
  };
  expect(await refused(`${log}?container=slow`)).toBe(400);
  expect(await refused(`${log}?container=main`, ["v4.channel.k8s.io"])).toBe(403);
});

it("ends a followed log when the client closes its WebSocket", async () => {
  pieces = async function* () {
    yield Buffer.from("one\n");
    await once(asked[0]?.signal ?? expect.unreachable(), "abort");
  };
  const socket = socketTo(`${log}?container=main&follow=true`);
  await once(socket, "message");
  socket.close();
  await once(socket, "close");
  await expect.poll(() => asked[0]?.signal.aborted).toBe(true);
});
