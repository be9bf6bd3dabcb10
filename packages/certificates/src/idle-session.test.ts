import { once } from "node:events";
import { type ClientHttp2Session, connect, createServer, type Http2Server, type ServerHttp2Session } from "node:http2";
import type { AddressInfo } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { FakeClock } from "@kubewright/clock/testing";
import { afterEach, beforeEach, expect, it } from "vitest";
import { whenIdle } from "./idle-session.ts";

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

let clock: FakeClock;
let server: Http2Server;
let calls = 0;

beforeEach(async () => {
  clock = new FakeClock();
  calls = 0;
  server = createServer((_, response) => void response.end("x"));
  server.on("session", (session) => whenIdle(session, 4_000, clock, () => calls++));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterEach(() => new Promise<void>((resolve) => server.close(() => resolve())));

async function opened(): Promise<{ client: ClientHttp2Session; session: ServerHttp2Session }> {
  const { port } = server.address() as AddressInfo;
  const accepted = once(server, "session");
  const client = connect(`http://127.0.0.1:${port}`);
  const [session] = (await accepted) as [ServerHttp2Session];
  await ping(client);
  await clock.advance(1_000); // the first bytes have been counted
  return { client, session };
}

const ping = (client: ClientHttp2Session): Promise<void> => new Promise((resolve) => void client.ping(() => resolve()));

it("reports a connection without traffic, after each idle time", async () => {
  const { client } = await opened();
  await clock.advance(3_000);
  expect(calls).toBe(0);
  await clock.advance(1_000);
  expect(calls).toBe(1);
  await clock.advance(4_000);
  expect(calls).toBe(2);
  client.destroy();
});

it("reports nothing while bytes arrive, even if only occasionally", async () => {
  const { client } = await opened();
  for (let round = 0; round < 5; round++) {
    await clock.advance(3_000);
    await ping(client);
  }
  expect(calls).toBe(0);
  client.destroy();
});

it("ends with the session, without keeping a reference to it", async () => {
  const reference = await (async () => {
    const { client, session } = await opened();
    const closed = once(session, "close");
    client.destroy();
    await closed;
    return new WeakRef(session);
  })();
  await clock.advance(60_000);
  expect(calls).toBe(0);
  for (let round = 0; round < 20 && reference.deref(); round++) {
    await new Promise<void>((resolve) => setImmediate(resolve));
    collectGarbage();
  }
  expect(reference.deref()).toBeUndefined();
});
