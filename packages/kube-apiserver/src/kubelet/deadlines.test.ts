import { once } from "node:events";
import { request } from "node:http";
import { FakeClock } from "@kubewright/clock/testing";
import { afterAll, beforeAll, expect, it } from "vitest";
import { WebSocket } from "ws";
import { ApiServer } from "../server/api-server.ts";
import { ApiClient } from "../server/testing/api-client.ts";
import { SpdyClient } from "./testing/spdy-client.ts";

const pod = "/api/v1/namespaces/default/pods/web";
const exec = `${pod}/exec?command=cat&stdin=true&stdout=true`;
const fourHoursMs = 4 * 60 * 60 * 1_000;
const clock = new FakeClock();
let server: ApiServer;
let api: ApiClient;
let hasEnded = false;

beforeAll(async () => {
  server = await ApiServer.start({
    tls: false,
    clock,
    disableAdmissionPlugins: ["ServiceAccount"],
    kubelets: {
      containerLog: async () => undefined,
      exec: async () => async (_streams, signal) => {
        await once(signal, "abort");
        hasEnded = true;
        return 0;
      },
      attach: async () => undefined,
      portForward: async () => async () => {
        throw new Error("connection refused");
      },
    },
  });
  api = new ApiClient(server);
  await api.post("/api/v1/nodes", { metadata: { name: "here" } });
  const addresses = [{ type: "InternalIP", address: "10.0.0.9" }];
  await api.patch("/api/v1/nodes/here/status", "merge", { status: { addresses } });
  const spec = { nodeName: "here", containers: [{ name: "main", image: "x" }] };
  await api.post("/api/v1/namespaces/default/pods", { metadata: { name: "web" }, spec });
});
afterAll(async () => {
  api.close();
  await server.stop();
});

const headers = () => ({ authorization: `Bearer ${server.connection().token}` });

async function spdy(path: string, protocol: string): Promise<SpdyClient> {
  const upgrade = { connection: "Upgrade", upgrade: "SPDY/3.1", "x-stream-protocol-version": protocol };
  const sent = request(`${server.url}${path}`, { method: "POST", headers: { ...headers(), ...upgrade } }).end();
  const [, socket] = await once(sent, "upgrade");
  return new SpdyClient(socket);
}

it("closes a connection for exec whose streams the client has not opened after 30 seconds", async () => {
  const client = await spdy(exec, "v4.channel.k8s.io");
  const id = await client.open({ streamtype: "error" });
  await client.received(({ type }) => type === "reply");
  await clock.advance(29_999);
  expect(client.frames.map(({ type }) => type)).toEqual(["reply"]);
  await clock.advance(1);
  await client.received((frame) => frame.type === "reset" && frame.id === id);
  await client.received(({ type }) => type === "goAway");
  await client.close();
});

it("resets a stream for a port whose other stream the client has not opened after 30 seconds", async () => {
  const client = await spdy(`${pod}/portforward`, "portforward.k8s.io");
  const id = await client.open({ streamtype: "data", port: "80", requestid: "0" });
  await client.received(({ type }) => type === "reply");
  await clock.advance(30_000);
  await client.received((frame) => frame.type === "reset" && frame.id === id);
  await client.open({ streamtype: "data", port: "80", requestid: "0" });
  const error = await client.open({ streamtype: "error", port: "80", requestid: "0" });
  expect(await client.text(error)).toContain("connection refused");
  await client.close();
});

it("closes a WebSocket without messages for 4 hours", async () => {
  const url = `${server.url.replace("http", "ws")}${exec}`;
  const socket = new WebSocket(url, ["v5.channel.k8s.io"], { headers: headers() });
  const closed = once(socket, "close");
  await once(socket, "message");
  await clock.advance(fourHoursMs - 1_000);
  socket.send(Buffer.from("\0x"));
  socket.ping();
  await once(socket, "pong"); // the server has received the message
  await clock.advance(fourHoursMs - 1_000);
  expect([socket.readyState, hasEnded]).toEqual([WebSocket.OPEN, false]);
  await clock.advance(1_000);
  await closed;
  await expect.poll(() => hasEnded).toBe(true);
});
