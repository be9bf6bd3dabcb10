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
