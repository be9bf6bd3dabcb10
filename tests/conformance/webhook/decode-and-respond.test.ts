import { unstructured } from "@kubewright/apimachinery";
import {
  type AdmissionContext,
  type AdmissionHandler,
  admissionHandler,
  allowed,
  decode,
  decodeRaw,
  denied,
  errored,
  multiMutatingHandler,
  multiValidatingHandler,
  patched,
  patchResponseFromRaw,
  validationResponse,
  withWarnings,
} from "@kubewright/webhook";
import { describe, expect, it } from "vitest";
import { patchIn, RunningServer, reviewOf } from "./running-server.ts";
import { Site, siteObject } from "./shop.ts";

/** Returns the request that a review becomes. */
async function requestOf(request: Readonly<Record<string, unknown>>): Promise<AdmissionContext["request"]> {
  const seen: AdmissionContext["request"][] = [];
  await using server = await RunningServer.start([
    admissionHandler("/x", {}, (context) => {
      seen.push(context.request);
      return allowed();
    }),
  ]);
  await server.post("/x", { body: reviewOf(request) });
  const [only] = seen;
  if (!only) throw new Error("the handler was not asked");
  return only;
}

describe("the decoder", () => {
  it("WH-012 decodes the new object, and any other in its raw form", async () => {
    const request = await requestOf({
      object: siteObject({ image: "nginx" }),
      oldObject: siteObject({ image: "old" }),
      operation: "UPDATE",
    });
    expect(decode(request, Site).spec.image).toBe("nginx");
    expect(decodeRaw(request.oldObject, Site).spec.image).toBe("old");
    expect(decodeRaw(JSON.stringify(siteObject({ image: "text" })), Site).spec.image).toBe("text");
    expect(() => decodeRaw(undefined, Site)).toThrow("there is no content to decode");
    expect(() => decode({ ...request, object: undefined }, Site)).toThrow("there is no content to decode");
  });

  it("WH-013 refuses an object of another kind, or version", async () => {
    const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "a" } };
    const request = await requestOf({ object: pod });
    expect(() => decode(request, Site)).toThrow("unable to decode v1, Kind=Pod into shop.example.com/v1, Kind=Site");
    expect(() => decodeRaw({ ...siteObject(), apiVersion: "shop.example.com/v2" }, Site)).toThrow("v2, Kind=Site");
  });

  it("WH-014 decodes an object without a type, also one without kind and apiVersion", async () => {
    const anything = unstructured({ apiVersion: "v1", kind: "Anything" });
    const request = await requestOf({ object: { metadata: { name: "a" }, more: [1] } });
    expect(decode(request, anything)).toEqual({
      apiVersion: "v1",
      kind: "Anything",
      metadata: { name: "a" },
      more: [1],
    });
  });
});

describe("a response", () => {
  it("WH-015 allows with 200 or denies with 403, with or without a message", () => {
    expect(allowed()).toEqual({ allowed: true, result: { code: 200 } });
    expect(allowed("fine")).toEqual({ allowed: true, result: { code: 200, message: "fine" } });
    expect(denied()).toEqual({ allowed: false, result: { code: 403, reason: "Forbidden" } });
    expect(denied("no")).toEqual({ allowed: false, result: { code: 403, reason: "Forbidden", message: "no" } });
  });

  it("WH-016 of an error has its code and its text", () => {
    expect(errored(400, new Error("broken"))).toEqual({ allowed: false, result: { code: 400, message: "broken" } });
  });

  it("WH-017 is a denial or permission depending on a flag", () => {
    expect(validationResponse(true, "a")).toEqual(allowed("a"));
    expect(validationResponse(false, "a")).toEqual(denied("a"));
  });

  it("WH-018 contains the given steps, or those that turn one text into another", () => {
    const step = { op: "replace", path: "/a", value: 1 } as const;
    expect(patched("done", step)).toEqual({ ...allowed("done"), patches: [step] });
    expect(patchResponseFromRaw('{"a":"b"}', '{"a":"c"}')).toEqual({
      allowed: true,
      patches: [{ op: "replace", path: "/a", value: "c" }],
    });
    expect(patchResponseFromRaw('{"a":9007199254740993}', '{"a":9007199254740993}')).toEqual({ allowed: true });
    expect(patchResponseFromRaw('{"a":9007199254740993}', '{"a":9007199254740992}').patches).toHaveLength(1);
  });

  it("WH-019 appends warnings to the existing ones", () => {
    expect(withWarnings(withWarnings(allowed(), "a"), "b", "c").warnings).toEqual(["a", "b", "c"]);
  });
});

describe("several handlers in one", () => {
  const asked: string[] = [];
  const named =
    (name: string, answer: AdmissionHandler): AdmissionHandler =>
    (context) => {
      asked.push(name);
      return answer(context);
    };
  const ask = async (handler: AdmissionHandler) => {
    asked.length = 0;
    await using server = await RunningServer.start([admissionHandler("/x", {}, handler)]);
    return await server.post("/x", { body: reviewOf({ object: siteObject({ image: "a" }) }) });
  };
  const warning = (text: string) => named(text, () => withWarnings(allowed(), text));

  it.each([
    ["mutating", multiMutatingHandler],
    ["validating", multiValidatingHandler],
  ])("WH-020 deny with the first denial, and call no more: %s", async (_type, multi) => {
    const handlers = [warning("a"), named("b", () => denied("b says no")), warning("c")];
    const { review } = await ask(multi(...handlers));
    expect(review.response).toMatchObject({ allowed: false, status: { code: 403, message: "b says no" } });
    expect(asked).toEqual(["a", "b"]);
  });

  it("WH-021 allow if all do, with the warnings of all", async () => {
    const { review } = await ask(multiValidatingHandler(warning("a"), warning("b")));
    expect(review.response).toMatchObject({ allowed: true, status: { code: 200 }, warnings: ["a", "b"] });
  });

  it("WH-022 change by the steps of all, each based on the object as it was sent", async () => {
    const image =
      (value: string): AdmissionHandler =>
      ({ request }) =>
        patchResponseFromRaw(request.object, siteObject({ image: value }));
    const answer = await ask(multiMutatingHandler(image("b"), image("c")));
    expect(patchIn(answer)).toEqual([
      { op: "replace", path: "/spec/image", value: "b" },
      { op: "replace", path: "/spec/image", value: "c" },
    ]);
    expect(answer.review.response.patchType).toBe("JSONPatch");
  });
});
