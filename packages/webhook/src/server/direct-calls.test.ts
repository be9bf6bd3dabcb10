import { silentLogger } from "@kubewright/log";
import { expect, it } from "vitest";
import { allowed, denied } from "../admission/response.ts";
import { admissionHandler } from "../admission-handler.ts";
import type { HttpCall } from "../endpoint/endpoint.ts";
import { reviewOf } from "../testing/running-server.ts";
import { WebhookServer } from "./webhook-server.ts";

const callTo = (path: string, body: unknown): HttpCall => ({
  path,
  query: new URLSearchParams(),
  headers: { "content-type": "application/json" },
  body: (async function* () {
    yield Buffer.from(JSON.stringify(body));
  })(),
  signal: new AbortController().signal,
});

it("answers direct calls without running a port", async () => {
  const server = new WebhookServer({ logger: silentLogger });
  server.add(
    admissionHandler("/quiet", {}, ({ request }) => Promise.resolve(request.name === "no" ? denied("no") : allowed())),
  );
  const answers = await Promise.all(["no", "yes"].map((name) => server.answer(callTo("/quiet", reviewOf({ name })))));
  expect(answers.map((answer) => [answer?.status, JSON.parse(answer?.body ?? "").response.allowed])).toEqual([
    [200, false],
    [200, true],
  ]);
  expect(await server.answer(callTo("/elsewhere", {}))).toBeUndefined();
  expect(server.port).toBeUndefined();
});

it("serves without a port and certificates, through a function", async () => {
  const called = Promise.withResolvers<void>();
  const letGo = Promise.withResolvers<void>();
  const answer = async ({ query, headers, body }: HttpCall) => {
    if (query.has("fail")) throw new Error("broken");
    called.resolve();
    await letGo.promise;
    const text = (await body[Symbol.asyncIterator]().next()).value?.toString();
    return { status: 200, body: `${query.get("timeout")} ${headers["x-sent"]} ${text}` };
  };
  const server = new WebhookServer({ listen: false, logger: silentLogger });
  server.add({ endpoints: [{ path: "/a", purpose: "test", answer }], declarations: [], conversions: [] });
  expect(server.handle).toBeUndefined();
  await expect(server.check()).rejects.toThrow("webhook server has not been started yet");

  const stop = new AbortController();
  const run = server.run(stop.signal);
  await server.ready();
  await server.check();
  const { handle } = server;
  const post = async (path: string, signal?: AbortSignal) =>
    await handle?.({
      method: "POST",
      path,
      headers: { "X-Sent": "1" },
      body: Buffer.from("b"),
      ...(signal ? { signal } : {}),
    });

  expect((await post("/elsewhere"))?.status).toBe(404);
  await expect(post("/a?fail")).rejects.toMatchObject({ code: "ECONNRESET" });
  const controller = new AbortController();
  const cancelled = post("/a", controller.signal);
  await called.promise;
  controller.abort(new Error("enough"));
  await expect(cancelled).rejects.toThrow("enough");
  await expect(post("/a", controller.signal)).rejects.toThrow("enough");
  const answered = post("/a?timeout=5s");
  expect(server.inspect()).toEqual({ port: undefined, callsInFlight: 1 });
  stop.abort();
  letGo.resolve();
  const chunks = [];
  for await (const chunk of (await answered)?.body ?? []) chunks.push(Buffer.from(chunk).toString());
  expect(chunks).toEqual(["5s 1 b"]); // calls in progress are finished before the server stops
  await run;
  expect(server.handle).toBeUndefined();
  await expect(server.check()).rejects.toThrow("webhook server has not been started yet");
});
