import process from "node:process";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { defineKind, typedSchema } from "@kubewright/apimachinery";
import fc from "fast-check";
import { expect, it } from "vitest";
import { allowed } from "./admission/response.ts";
import { admission } from "./admission.ts";
import { admissionHandler } from "./admission-handler.ts";
import { authenticated } from "./authentication/token-response.ts";
import { conversion } from "./conversion.ts";
import { RunningServer, reviewOf, siteObject } from "./testing/running-server.ts";
import { tokenReviewHandler } from "./token-review-handler.ts";

/** `npm run test:fuzz` uses ten times as many. */
const bodies = Number(process.env.WEBHOOK_FUZZ_BODIES ?? 1_000);

const kind = (version: string) =>
  defineKind({
    ...{ group: "shop.example.com", version, kind: "Site", scope: "Namespaced" },
    spec: typedSchema<{ image?: string; tags: string[] }>({
      type: "object",
      properties: { image: { type: "string" }, tags: { type: "array", items: { type: "string" } } },
    }),
  });
const [Site, Old] = [kind("v1"), kind("v1beta1")];

const webhooks = [
  admission(Site)
    .default((site) => {
      site.spec.image ??= "nginx";
      site.spec.tags.push("defaulted");
    })
    .validate({
      create: (site) => site.spec.tags.map((tag) => tag.toUpperCase()),
      update: (site, old) => {
        if (site.spec.tags.length < old.spec.tags.length) throw new Error("fewer tags");
      },
      delete: (site) => site.metadata.name,
    }),
  admissionHandler("/raw", {}, ({ request }) => allowed(request.name)),
  tokenReviewHandler("/token", ({ request }) => authenticated({ username: request.token })),
  conversion({
    hub: Site,
    spokes: [{ kind: Old, toHub: (object) => ({ ...object, spec: { tags: [] } }), fromHub: (hub) => hub }],
  }),
];
const paths = ["/mutate-shop-example-com-v1-site", "/validate-shop-example-com-v1-site", "/raw", "/token", "/convert"];

const valid = [
  reviewOf({ object: siteObject({ tags: ["a", "b"] }) }),
  reviewOf({ operation: "UPDATE", object: siteObject({ tags: ["a"] }), oldObject: siteObject({ tags: ["b", "c"] }) }),
  reviewOf({ operation: "DELETE", oldObject: siteObject({}), options: { kind: "DeleteOptions" } }),
  { apiVersion: "authentication.k8s.io/v1", kind: "TokenReview", metadata: { uid: "a" }, spec: { token: "b" } },
  {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "ConversionReview",
    request: { uid: "a", desiredAPIVersion: "shop.example.com/v1beta1", objects: [siteObject({ tags: [] })] },
  },
];

/** Returns the value with one of its members, at any depth, replaced. */
function mutated(value: unknown, choice: number, other: unknown): unknown {
  const text = JSON.stringify(value);
  const members = [...text.matchAll(/"(?:[^"\\]|\\.)*"|\d+|\{|\[/g)];
  const member = members[choice % members.length];
  if (!member) return value;
  const replacement = JSON.stringify(other) ?? "null";
  return `${text.slice(0, member.index)}${replacement}${text.slice(member.index + member[0].length)}`;
}

const nested = fc
  .tuple(fc.nat(100_000), fc.constantFrom("[", '{"a":', '{"__proto__":', '[{"request":'))
  .map(([depth, opening]) => opening.repeat(depth / opening.length));

const body = fc.oneof(
  fc
    .tuple(fc.constantFrom(...valid), fc.nat(), fc.jsonValue())
    .map(([review, at, other]) => mutated(review, at, other)),
  fc
    .tuple(fc.constantFrom(...valid), fc.dictionary(fc.string(), fc.jsonValue()))
    .map(([review, more]) => ({ ...review, ...more })),
  fc.tuple(fc.constantFrom(...valid), fc.nat(500)).map(([review, length]) => JSON.stringify(review).slice(0, length)),
  fc.constantFrom(...valid).map((review) => JSON.stringify(review).replace(/"a"/, "1".repeat(20_000))),
  fc.json(),
  fc.uint8Array({ maxLength: 2_000 }).map((bytes) => Buffer.from(bytes)),
  nested,
);

const heapBytes = (): number => {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  return process.memoryUsage().heapUsed;
};

it(`answers ${bodies} bodies of any shape, and retains none of them`, async () => {
  const rejections: unknown[] = [];
  const onRejection = (reason: unknown): void => void rejections.push(reason);
  process.on("unhandledRejection", onRejection);
  try {
    // with so few bytes, a leak would soon be noticed
    await using server = await RunningServer.start(webhooks, { maxBodyBytesInFlight: 4 * 1024 * 1024 });
    const send = async (path: string, sent: unknown): Promise<void> => {
      const { status, text, review } = await server.post(path, sent);
      expect([200, 400], text).toContain(status);
      if (status === 200) expect(review).toHaveProperty("kind");
      if (path === "/raw") expect(typeof review.response.allowed).toBe("boolean");
    };
    const property = fc.asyncProperty(fc.constantFrom(...paths), body, send);
    await fc.assert(property, { numRuns: 200, seed: 1 });
    const before = heapBytes();
    await fc.assert(property, { numRuns: bodies, seed: 2 });
    const grown = heapBytes() - before;
    expect(grown).toBeLessThan(16 * 1024 * 1024);
    const good = await server.post("/raw", reviewOf({ name: "after all" }));
    expect(good.review.response).toMatchObject({ allowed: true, status: { message: "after all" } });
    await new Promise((resolve) => setImmediate(resolve));
    expect(rejections).toEqual([]);
  } finally {
    process.off("unhandledRejection", onRejection);
  }
}, 300_000);
