import { createLogger } from "@kubewright/log";
import {
  type AdmissionContext,
  type AdmissionHandler,
  type AdmissionHandlerOptions,
  admission,
  admissionHandler,
  allowed,
  patched,
} from "@kubewright/webhook";
import { describe, expect, it } from "vitest";
import { RunningServer, reviewOf } from "./running-server.ts";
import { Site, siteObject } from "./shop.ts";

const collected = () => {
  // biome-ignore lint/suspicious/noExplicitAny: lines of any shape
  const lines: any[] = [];
  const logger = createLogger({ level: "debug", destination: { write: (line) => void lines.push(JSON.parse(line)) } });
  return { lines, logger };
};

async function ask(handler: AdmissionHandler, options: AdmissionHandlerOptions = {}, logger = collected().logger) {
  await using server = await RunningServer.start([admissionHandler("/x", options, handler)], { logger });
  return await server.post("/x", { body: reviewOf({ object: siteObject() }) });
}

describe("a handler", () => {
  it("WH-007 is called, and its answer contains the request's UID", async () => {
    const { review } = await ask(({ request }) => allowed(request.operation));
    expect(review.response).toEqual({
      uid: "705ab4f5",
      allowed: true,
      status: { metadata: {}, code: 200, message: "CREATE" },
    });
  });

  it("WH-008 has its steps combined into one JSON patch", async () => {
    const steps = [
      { op: "add", path: "/a", value: 2n ** 60n },
      { op: "replace", path: "/b", value: "c" },
    ] as const;
    const answer = await ask(() => patched("changed", ...steps));
    expect(answer.review.response).toMatchObject({ allowed: true, patchType: "JSONPatch" });
    const text = Buffer.from(answer.review.response.patch, "base64").toString();
    expect(text).toBe(
      '[{"op":"add","path":"/a","value":1152921504606846976},{"op":"replace","path":"/b","value":"c"}]',
    );
  });

  it("WH-009 gets a logger that identifies the request, or the one created for it", async () => {
    const { lines, logger } = collected();
    const log: AdmissionHandler = (context) => {
      context.log.debug("looked");
      return allowed();
    };
    await ask(log, {}, logger);
    const about = {
      object: { namespace: "shop", name: "north" },
      namespace: "shop",
      name: "north",
      resource: "shop.example.com/v1, Resource=sites",
      user: "ann",
      requestID: "705ab4f5",
    };
    expect(lines.find(({ msg }) => msg === "looked")).toMatchObject(about);
    await ask(log, { logConstructor: (base, request) => base.child({ mine: request?.uid ?? "none" }) }, logger);
    const own = lines.findLast(({ msg }) => msg === "looked");
    expect(own).toMatchObject({ mine: "705ab4f5" });
    expect(own).not.toHaveProperty("requestID");
  });

  it("WH-010 gets 500 for a programming error, counted and logged with its stack; otherwise, the connection ends", async () => {
    const { lines, logger } = collected();
    const mistaken = (): never => {
      throw new TypeError("spec is undefined");
    };
    expect((await ask(mistaken, {}, logger)).review.response).toMatchObject({
      uid: "705ab4f5",
      allowed: false,
      status: { code: 500, message: "panic: spec is undefined [recovered]" },
    });
    const line = lines.find(({ msg }) => msg === "observed a panic in a webhook");
    expect(line).toMatchObject({ level: "error", err: { stack: expect.stringContaining("mistaken") } });
    await expect(ask(mistaken, { recoverPanic: false })).rejects.toThrow("socket hang up");
  });

  it("WH-011 gets the request as it was sent, and so do defaulters and validators", async () => {
    const seen: AdmissionContext["request"][] = [];
    const keep = (context: AdmissionContext): void => void seen.push(context.request);
    await using server = await RunningServer.start([
      admission(Site)
        .default((_draft, context) => keep(context))
        .validate({ create: (_site, context) => keep(context) }),
    ]);
    const body = reviewOf({ object: siteObject({ unknown: 1 }), dryRun: true, options: { kind: "CreateOptions" } });
    await server.post("/mutate-shop-example-com-v1-site", { body });
    await server.post("/validate-shop-example-com-v1-site", { body });
    expect(seen).toHaveLength(2);
    for (const request of seen) {
      expect(request).toMatchObject(body.request);
      expect(request).toMatchObject({ dryRun: true, subResource: "", userInfo: { username: "ann", extra: {} } });
    }
  });
});
