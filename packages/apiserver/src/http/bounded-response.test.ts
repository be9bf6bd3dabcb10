import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { systemClock } from "@kubewright/clock";
import { FakeClock } from "@kubewright/clock/testing";
import { afterAll, beforeAll, expect, it } from "vitest";
import { OidcProvider } from "../authentication/oidc/oidc-provider.ts";
import { WebhookClient } from "../authentication/webhook/webhook-client.ts";
import { boundedText, ResponseTooLarge, within } from "./bounded-response.ts";

let answer: (response: ServerResponse) => void = () => {};
let sent = 0;
const server = createServer((request, response) => {
  request.resume().on("end", () => answer(response));
});
let url = "";
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const endless = (response: ServerResponse): void => {
  const more = (): void => {
    while (!response.destroyed && sent < 500) {
      sent++;
      if (!response.write(Buffer.alloc(1024 * 1024, " "))) return void response.once("drain", more);
    }
  };
  more();
};
const dripping = (response: ServerResponse): void => {
  response.writeHead(200);
  const drip = setInterval(() => response.write(" "), 50);
  response.on("close", () => clearInterval(drip));
};

it("a webhook for users or decisions is cut off after a megabyte, or its timeout", async () => {
  const client = new WebhookClient({ url }, systemClock, { timeoutMs: 1_000 });
  answer = endless;
  await expect(client.post({})).rejects.toThrow("the response is larger than 1048576 bytes");
  expect(sent).toBeLessThan(100);
  answer = dripping;
  await expect(client.post({})).rejects.toThrow("no complete response within 1000 ms");
  const bomb = gzipSync(Buffer.alloc(10 * 1024 * 1024, " "));
  answer = (response) => {
    response.writeHead(200, { "content-encoding": "gzip", "content-type": "application/json" });
    response.end(bomb);
  };
  await expect(client.post({})).rejects.toThrow(SyntaxError); // accepted unchanged
  await client.close();
});

it("an issuer of tokens is cut off after a megabyte", async () => {
  sent = 0;
  answer = endless;
  const provider = new OidcProvider({ issuer: url, signingAlgs: ["RS256"], clock: systemClock });
  await expect(provider.verify("a.b.c")).rejects.toMatchObject({
    cause: { message: expect.stringContaining("the response is larger than 1048576 bytes") },
  });
  expect(sent).toBeLessThan(100);
  await provider.close();
});

it.each([
  [["a", "bc"], 3, "abc"],
  [[], 0, ""],
  [["ü"], 2, "ü"],
  [["a", "bcd"], 3, undefined],
  [["a"], 0, undefined],
])("the text of %j, of at most %i bytes", async (parts, maxBytes, text) => {
  let isClosed = false;
  async function* body() {
    try {
      for (const part of parts) yield Buffer.from(part);
    } finally {
      isClosed = true;
    }
  }
  const answered = boundedText(body(), maxBytes);
  if (text === undefined) await expect(answered).rejects.toThrow(ResponseTooLarge);
  else expect(await answered).toBe(text);
  expect(isClosed).toBe(true);
});

it("a timeout aborts, and leaves no timer behind after success", async () => {
  const clock = new FakeClock();
  expect(await within(clock, 1_000, async (signal) => signal.aborted)).toBe(false);
  expect(clock.waiting).toBe(0);
  const late = within(
    clock,
    1_000,
    (signal) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
  );
  const failure = expect(late).rejects.toThrow("no complete response within 1000 ms");
  await clock.advance(999);
  expect(clock.waiting).toBe(1);
  await clock.advance(1);
  await failure;
  expect(clock.waiting).toBe(0);
});
