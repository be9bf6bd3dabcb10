import { X509Certificate } from "node:crypto";
import { expect, it } from "vitest";
import { authority, pair, RunningServer } from "../testing/running-server.ts";
import { newServer } from "../webhook.ts";
import { WebhookServer } from "./webhook-server.ts";

it("reports its address, the expiry of its certificate, and the number of calls in progress", async () => {
  const called = Promise.withResolvers<void>();
  const letGo = Promise.withResolvers<void>();
  const answer = async () => {
    called.resolve();
    await letGo.promise;
    return { status: 200, body: "{}" };
  };
  const endpoints = [{ path: "/validate-shop", purpose: "test", answer }];
  await using running = await RunningServer.start([{ endpoints, declarations: [], conversions: [], newServer }]);
  const { server } = running;
  const notAfter = new X509Certificate(pair.cert).validToDate.toISOString();
  expect(server.inspect()).toEqual({ port: server.port, callsInFlight: 0, certificate: { notAfter } });
  const call = running.post("/validate-shop", {});
  await called.promise;
  expect(server.inspect()).toMatchObject({ callsInFlight: 1 });
  letGo.resolve();
  await call;
  await expect.poll(() => server.inspect().callsInFlight).toBe(0);
});

it("is not ready once others begin to stop, and answers until its own signal aborts", async () => {
  const endpoints = [{ path: "/a", purpose: "test", answer: async () => ({ status: 200, body: "{}" }) }];
  const server = new WebhookServer({ port: 0, host: "127.0.0.1", certificates: pair });
  server.add({ endpoints, declarations: [], conversions: [] });
  const [stop, stopping] = [new AbortController(), new AbortController()];
  const run = server.run(stop.signal, stopping.signal);
  await server.ready();
  await server.check();
  stopping.abort();
  await expect(server.check()).rejects.toThrow("the webhook server is about to stop");
  expect(server.port).toBeTypeOf("number");
  stop.abort();
  await run;
  expect(server.port).toBeUndefined();
});

it("reports the certificate being served, and none if there is none yet", () => {
  let current: { cert: string; key: string } | undefined;
  const issue = (days: number) => {
    const { certificate: cert, key } = authority.issueServer("webhook", ["127.0.0.1"], {
      lifetimeMs: days * 86_400_000,
    });
    current = { cert, key };
    return new X509Certificate(cert).validToDate.toISOString();
  };
  const certificates = {
    get current() {
      return current;
    },
    caBundle: undefined,
    check: () => {},
    onChange: () => () => {},
    run: async () => {},
  };
  const server = new WebhookServer({ certificates });
  expect(server.inspect()).toEqual({ port: undefined, callsInFlight: 0 });
  for (const days of [1, 2]) {
    const notAfter = issue(days);
    expect(server.inspect().certificate).toEqual({ notAfter });
  }
});
