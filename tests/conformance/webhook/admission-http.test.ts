import { request as httpsRequest } from "node:https";
import { type AdmissionContext, admissionHandler, allowed } from "@kubewright/webhook";
import { describe, expect, it } from "vitest";
import { authority, RunningServer, reviewOf } from "./running-server.ts";

const open = () => RunningServer.start([admissionHandler("/open", {}, () => allowed())]);

const refusedWith = (code: number, message: unknown) => ({
  status: 200,
  review: {
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    response: { allowed: false, status: { code, message } },
  },
});

describe("an admission request", () => {
  it("WH-001 without a body is answered with 400, in a review", async () => {
    await using server = await open();
    expect(await server.post("/open")).toMatchObject(refusedWith(400, "request body is empty"));
  });

  it("WH-002 of another content type is answered with 400, naming both", async () => {
    await using server = await open();
    const answer = await server.post("/open", { body: "{}", headers: { "content-type": "application/foo" } });
    expect(answer).toMatchObject(refusedWith(400, "contentType=application/foo, expected application/json"));
  });

  it.each([
    ["{", /JSON/],
    ["[]", /AdmissionReview/],
    ['{"apiVersion":"v1","kind":"Pod"}', /Pod/],
    [JSON.stringify({ ...reviewOf({}), apiVersion: "admission.k8s.io/v2" }), /admission\.k8s\.io\/v2/],
    [JSON.stringify(reviewOf({ uid: 5 })), /request\.uid: expected a string, got a number/],
    [JSON.stringify(reviewOf({ object: [] })), /request\.object: expected an object, got a list/],
    [JSON.stringify(reviewOf({ userInfo: { groups: [1] } })), /request\.userInfo\.groups\[0\]/],
    [`${"[".repeat(600)}${"]".repeat(600)}`, /nested more than 500 levels deep/],
  ])("WH-003 that cannot be parsed is answered with 400 and the reason: %s", async (body, why) => {
    await using server = await open();
    expect(await server.post("/open", { body })).toMatchObject(refusedWith(400, expect.stringMatching(why)));
  });

  it.each([["with its length"], ["in chunks"]])(
    "WH-004 of more than 7 MiB is answered with 413, sent %s, and not read any further",
    async (how) => {
      await using server = await open();
      const chunk = Buffer.alloc(64 * 1024, " ");
      let written = 0;
      const text = await new Promise<string>((resolve, reject) => {
        const headers = {
          "content-type": "application/json",
          ...(how === "in chunks" ? {} : { "content-length": 1e9 }),
        };
        const { port } = server.server;
        const options = { method: "POST", host: "127.0.0.1", port, path: "/open", ca: authority.certificate, headers };
        const request = httpsRequest(options, async (response) => {
          const chunks: Buffer[] = [];
          for await (const one of response) chunks.push(one as Buffer);
          resolve(Buffer.concat(chunks).toString());
          request.destroy();
        });
        request.once("error", reject);
        const more = (): void => {
          if (request.destroyed || written > 1e9) return;
          written += chunk.length;
          if (request.write(chunk)) setImmediate(more);
          else request.once("drain", more);
        };
        more();
      });
      expect(JSON.parse(text).response).toMatchObject({
        allowed: false,
        status: { code: 413, message: "request entity is too large; limit is 7340032 bytes" },
      });
      expect(written).toBeLessThan(40e6);
    },
  );

  it.each([
    ["admission.k8s.io/v1", "admission.k8s.io/v1"],
    ["admission.k8s.io/v1beta1", "admission.k8s.io/v1beta1"],
    [undefined, "admission.k8s.io/v1"],
  ])("WH-005 of version %s is answered in %s", async (asked, answered) => {
    await using server = await open();
    const { request } = reviewOf({});
    const body = asked ? { apiVersion: asked, kind: "AdmissionReview", request } : { request };
    const { review } = await server.post("/open", { body });
    expect(review).toMatchObject({ apiVersion: answered, kind: "AdmissionReview", response: { allowed: true } });
  });

  it("WH-006 gives handlers its HTTP request, the result of a hook, and the end of the connection", async () => {
    const seen = Promise.withResolvers<AdmissionContext>();
    const aborted = Promise.withResolvers<unknown>();
    const contextFrom = ({ headers }: AdmissionContext["http"]) => ({ agent: headers["user-agent"] });
    await using server = await RunningServer.start([
      admissionHandler("/slow", { contextFrom }, async (context) => {
        seen.resolve(context);
        await new Promise((resolve) => context.signal.addEventListener("abort", resolve));
        aborted.resolve(context.signal.reason);
        throw new Error("nobody hears this");
      }),
    ]);
    const gone = new AbortController();
    const headers = { "content-type": "application/json", "user-agent": "kube-apiserver" };
    const { port } = server.server;
    const options = { method: "POST", host: "127.0.0.1", port, path: "/slow?timeout=10s", ca: authority.certificate };
    const request = httpsRequest({ ...options, headers, signal: gone.signal });
    request.once("error", () => {});
    request.end(JSON.stringify(reviewOf({})));
    const { http, values, signal } = await seen.promise;
    expect([http.path, http.query.get("timeout"), values]).toEqual(["/slow", "10s", { agent: "kube-apiserver" }]);
    expect(signal.aborted).toBe(false);
    gone.abort();
    expect(String(await aborted.promise)).toContain("the caller closed the connection");
  });
});
