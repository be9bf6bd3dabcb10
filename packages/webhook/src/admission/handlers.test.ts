import { defineKind, fieldError, StatusError, typedSchema } from "@kubewright/apimachinery";
import { expect, it } from "vitest";
import { readAdmissionReview } from "../review/admission-review.ts";
import type { AdmissionContext, AdmissionHandler } from "./admission-context.ts";
import { decodeRaw } from "./decode.ts";
import { defaulting } from "./defaulter.ts";
import { multiMutatingHandler, multiValidatingHandler } from "./multi-handler.ts";
import { invalid, refusal, refused } from "./refusal.ts";
import { allowed, completed, denied, errored, patched, patchResponseFromRaw, withWarnings } from "./response.ts";
import { validating } from "./validator.ts";
import { checkedPath, mutatePath, validatePath } from "./webhook-path.ts";

const Site = defineKind({
  ...{ group: "shop.example.com", version: "v1", kind: "Site", scope: "Namespaced" },
  spec: typedSchema<{ size: number }>({
    type: "object",
    properties: { size: { type: "integer" } },
    required: ["size"],
  }),
});
const site = (size: unknown, more: object = {}) => ({
  apiVersion: "shop.example.com/v1",
  kind: "Site",
  metadata: { name: "a" },
  spec: { size },
  ...more,
});

function contextOf(request: object): AdmissionContext & { readonly warnings: string[] } {
  const kind = { group: Site.group, version: Site.version, kind: Site.kind };
  const read = readAdmissionReview(JSON.stringify({ request: { uid: "7", name: "a", kind, ...request } })).request;
  const warnings: string[] = [];
  const none = (): never => {
    throw new Error("never called");
  };
  return {
    ...{ request: read, user: read.userInfo, dryRun: read.dryRun, warnings, values: {} },
    ...{ signal: new AbortController().signal, http: { path: "/x", query: new URLSearchParams(), headers: {} } },
    warn: (text) => void warnings.push(text),
    get client() {
      return none();
    },
    get log() {
      return none();
    },
  };
}

const sized = defaulting(Site, (draft) => {
  draft.spec.size = 5;
});

it("sends only the defaulter's changes as a patch", async () => {
  const object = site(1, { unknown: { kept: true } });
  const replaced = [{ op: "replace", path: "/spec/size", value: 5 }];
  expect(await sized(contextOf({ operation: "CREATE", object }))).toEqual({ allowed: true, patches: replaced });
  expect(await sized(contextOf({ operation: "UPDATE", object }))).toEqual({ allowed: true, patches: replaced });
  expect(await sized(contextOf({ operation: "CREATE", object: site(5) }))).toEqual({ allowed: true });
});

it("does not call a defaulter for deletes", async () => {
  const asked: unknown[] = [];
  const handler = defaulting(Site, (draft) => void asked.push(draft));
  expect(await handler(contextOf({ operation: "DELETE", object: site(1), oldObject: site(1) }))).toEqual(allowed());
  expect(asked).toEqual([]);
});

it.each([
  [undefined, "there is no content to decode"],
  [{ ...site(1), kind: "Shop" }, "unable to decode shop.example.com/v1, Kind=Shop into "],
])("blames the caller for a value that is not an object: %j", async (object, message) => {
  for (const handler of [sized, validating(Site, { create: () => {} })]) {
    const { allowed: isAllowed, result } = await handler(contextOf({ operation: "CREATE", object }));
    expect([isAllowed, result?.code]).toEqual([false, 400]);
    expect(result?.message).toContain(message);
  }
});

it("blames the schema, not the defaulter, for an object that the schema rejects", async () => {
  const trips: AdmissionHandler = defaulting(Site, (draft) => {
    draft.spec.size = (draft.spec as unknown as { missing: { size: number } }).missing.size;
  });
  await expect(trips(contextOf({ operation: "CREATE", object: site("x") }))).rejects.toBeInstanceOf(StatusError);
  await expect(trips(contextOf({ operation: "CREATE", object: site(1) }))).rejects.toBeInstanceOf(TypeError);
  const refuses = defaulting(Site, () => {
    throw new Error("not today");
  });
  await expect(refuses(contextOf({ operation: "CREATE", object: site("x") }))).rejects.toThrow("not today");
});

it("calls the validator's function for the operation with the objects of the request", async () => {
  const asked: unknown[] = [];
  const handler = validating(Site, {
    create: (object) => void asked.push(["create", object.spec.size]),
    update: (object, old) => void asked.push(["update", object.spec.size, old.spec.size]),
    delete: (object) => void asked.push(["delete", object.spec.size]),
  });
  const both = { object: site(1), oldObject: site(2) };
  for (const operation of ["CREATE", "UPDATE", "DELETE", "CONNECT"])
    expect(await handler(contextOf({ operation, ...both }))).toEqual(allowed());
  expect(asked).toEqual([
    ["create", 1],
    ["update", 1, 2],
    ["delete", 2],
  ]);
  expect(await handler(contextOf({ operation: "GET" }))).toEqual(errored(400, new Error('unknown operation "GET"')));
  for (const operation of ["CREATE", "UPDATE", "DELETE"])
    expect(await validating(Site, {})(contextOf({ operation }))).toEqual(allowed());
});

it("lets a validator warn with one or several texts, and reject by throwing", async () => {
  const request = { operation: "CREATE", object: site(1) };
  for (const [verdict, warnings] of [
    ["one", ["one"]],
    [
      ["one", "two"],
      ["one", "two"],
    ],
    [undefined, []],
  ] as const) {
    const context = contextOf(request);
    expect(await validating(Site, { create: () => verdict })(context)).toEqual(allowed());
    expect(context.warnings).toEqual(warnings);
  }
  const refuses = validating(Site, { create: () => Promise.reject(new Error("no")) });
  await expect(refuses(contextOf(request))).rejects.toThrow("no");
});

const add = (path: string) => ({ op: "add", path, value: 1 }) as const;

it("combines several handlers into one answer, up to the first denial", async () => {
  const context = contextOf({});
  const one = () => ({ ...patched("x", add("/a")), warnings: ["one"] });
  const two = async () => ({ ...patched("y", add("/b"), add("/c")), warnings: ["two"] });
  const asked: string[] = [];
  const last = () => {
    asked.push("last");
    return allowed();
  };
  expect(await multiMutatingHandler(one, two, last)(context)).toEqual({
    allowed: true,
    result: { code: 200 },
    patches: [add("/a"), add("/b"), add("/c")],
    warnings: ["one", "two"],
  });
  expect(await multiValidatingHandler(one, two)(context)).toEqual({
    allowed: true,
    result: { code: 200 },
    warnings: ["one", "two"],
  });
  asked.length = 0;
  for (const several of [multiMutatingHandler, multiValidatingHandler])
    expect(await several(one, () => denied("no"), last)(context)).toEqual(denied("no"));
  expect(asked).toEqual([]);
});

it("gives each answer a code", () => {
  expect(allowed()).toEqual({ allowed: true, result: { code: 200 } });
  expect(allowed("fine")).toEqual({ allowed: true, result: { code: 200, message: "fine" } });
  expect(denied("no")).toEqual({ allowed: false, result: { code: 403, reason: "Forbidden", message: "no" } });
  expect(errored(500, new Error("away"))).toEqual({ allowed: false, result: { code: 500, message: "away" } });
  expect(withWarnings({ allowed: true, warnings: ["a"] }, "b")).toEqual({ allowed: true, warnings: ["a", "b"] });
  expect(withWarnings({ allowed: true })).toEqual({ allowed: true });
});

it("sends an answer with the request's UID, a code and one patch", () => {
  expect(completed({ allowed: true }, "7")).toEqual({
    uid: "7",
    allowed: true,
    status: { metadata: {}, code: 200 },
  });
  expect(completed({ allowed: false, result: { code: 0 } }, "7")).toMatchObject({ status: { code: 200 } });
  const whole = { ...patched("", add("/a")), warnings: ["w"], auditAnnotations: { a: "b" } };
  const { patch, ...rest } = completed(whole, "7");
  expect(JSON.parse(Buffer.from(String(patch), "base64").toString())).toEqual([add("/a")]);
  expect(rest).toMatchObject({ patchType: "JSONPatch", warnings: ["w"], auditAnnotations: { a: "b" } });
});

it("replaces whole members if a patch would have very many steps", () => {
  const items = (value: number) => Array.from({ length: 10_001 }, () => ({ value }));
  const original = { items: items(1), same: 1, gone: 1, "a/b~c": 1 };
  const current = { items: items(2), same: 1, "new": 1, "a/b~c": 2 };
  const { patches = [] } = patchResponseFromRaw(JSON.stringify(original), JSON.stringify(current));
  expect(patches.map(({ op, path }) => `${op} ${path}`).sort()).toEqual([
    "add /new",
    "remove /gone",
    "replace /a~1b~0c",
    "replace /items",
  ]);
  const most = { ...original, items: items(1).slice(1) };
  const steps = patchResponseFromRaw(most, { ...most, items: items(2).slice(1) }).patches;
  expect(steps).toHaveLength(10_000);
});

it("turns a thrown error into an answer: a status as is, also as a cause, and a denial otherwise", () => {
  const { request } = contextOf({});
  expect(refusal(new Error("no"), request)).toEqual(denied("no"));
  expect(refusal(refused("not you"), request)).toMatchObject({
    allowed: false,
    result: { code: 403, reason: "Forbidden", message: "not you" },
  });
  const wrong = invalid("spec.size", 5, "is immutable");
  for (const error of [wrong, new Error("outer", { cause: wrong })])
    expect(refusal(error, request).result).toMatchObject({
      code: 422,
      reason: "Invalid",
      message: 'Site.shop.example.com "a" is invalid: spec.size: Invalid value: 5: is immutable',
    });
  const two = invalid([fieldError.required("spec.a", ""), fieldError.invalid("spec.b", 1, "no")]);
  expect(refusal(two, request).result?.details?.causes).toHaveLength(2);
});

it("answers with a denial whatever is thrown", () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  const { request } = contextOf({});
  for (const thrown of [proxy, Object.create(null), new Error("x", { cause: proxy }), Symbol("x"), undefined]) {
    const { allowed: isAllowed, result } = refusal(thrown, request);
    expect([isAllowed, typeof result?.message]).toEqual([false, "string"]);
  }
});

it("treats an object without apiVersion and kind as one of the expected kind", () => {
  expect(decodeRaw({ metadata: { name: "a" } }, Site)).toMatchObject({
    apiVersion: "shop.example.com/v1",
    kind: "Site",
    metadata: { name: "a" },
  });
  expect(decodeRaw(JSON.stringify(site(1)), Site)).toEqual(site(1));
  const whole = site(1);
  expect(decodeRaw(whole, Site)).toBe(whole);
  expect(decodeRaw({ ...site(1), metadata: undefined }, Site).metadata).toEqual({});
  expect(() => decodeRaw({ ...site(1), apiVersion: "shop.example.com/v2" }, Site)).toThrow("unable to decode");
  expect(() => decodeRaw({ ...site(1), metadata: 5 }, Site)).toThrow("metadata: expected an object");
  for (const nothing of [null, undefined, ""]) expect(() => decodeRaw(nothing, Site)).toThrow("there is no content");
  expect(() => decodeRaw(5, Site)).toThrow("expected an object of");
  expect(() => decodeRaw(9_007_199_254_740_993n, Site)).toThrow("got 9007199254740993");
  for (const field of ["apiVersion", "kind"])
    expect(() => decodeRaw({ ...site(1), [field]: { toString: 1 } }, Site)).toThrow(
      /unable to decode .*\{"toString":1\}/,
    );
  expect(() => decodeRaw("{", Site)).toThrow("unable to decode: ");
});

it("derives paths from the kind, and checks them", () => {
  expect([mutatePath(Site), validatePath({ ...Site, group: "" })]).toEqual([
    "/mutate-shop-example-com-v1-site",
    "/validate--v1-site",
  ]);
  for (const path of ["/", "/a", "/a-b/C_1"]) expect(checkedPath(path)).toBe(path);
  for (const path of ["", "a", "/a/", "//", "/a b", "/a?b"])
    expect(() => checkedPath(path)).toThrow(`the webhook path "${path}" must consist of segments`);
});
