import { notFound, type ObjectOf, parseJson } from "@kubewright/apimachinery";
import { admission, type Defaulter, invalid, refused, type Validator } from "@kubewright/webhook";
import { describe, expect, it } from "vitest";
import { patchIn, RunningServer, reviewOf, type Sending } from "./running-server.ts";
import { Site, siteObject } from "./shop.ts";

type Shop = ObjectOf<typeof Site>;

async function defaulted(defaulter: Defaulter<Shop>, body: Sending["body"]) {
  await using server = await RunningServer.start([admission(Site).default(defaulter)]);
  return await server.post("/mutate-shop-example-com-v1-site", { body });
}

async function validated(validator: Validator<Shop>, request: Readonly<Record<string, unknown>>) {
  await using server = await RunningServer.start([admission(Site).validate(validator)]);
  return await server.post("/validate-shop-example-com-v1-site", { body: reviewOf(request) });
}

describe("a defaulter", () => {
  it("WH-023 makes only its changes, and keeps unknown fields", async () => {
    const object = siteObject({ replicas: 1, tags: ["a", "b"], later: { kept: [1.5, "x"] } }, { labels: { old: "x" } });
    const body = JSON.stringify(reviewOf({ object })).replace("1.5", "9007199254740993");
    const answer = await defaulted((site) => {
      site.spec.image ??= "nginx";
      site.spec.replicas = 2;
      site.spec.tags = ["a"];
      delete site.metadata.labels;
    }, body);
    expect(patchIn(answer).toSorted((a, b) => (a.path < b.path ? -1 : 1))).toEqual([
      { op: "remove", path: "/metadata/labels" },
      { op: "add", path: "/spec/image", value: "nginx" },
      { op: "replace", path: "/spec/replicas", value: 2 },
      { op: "remove", path: "/spec/tags/1" },
    ]);
  });

  it("WH-023 preserves each digit of a number, also when it moves one", async () => {
    const text = JSON.stringify(reviewOf({ object: siteObject({ count: 1.5 }) })).replace("1.5", "9007199254740993");
    const answer = await defaulted((site) => {
      Object.assign(site.spec, { copy: (site.spec as { count?: unknown }).count });
    }, text);
    const steps = Buffer.from(answer.review.response.patch, "base64").toString();
    expect(parseJson(steps)).toEqual([{ op: "add", path: "/spec/copy", value: 9007199254740993n }]);
  });

  it("WH-024 is not called for deletes, which are allowed", async () => {
    const answer = await defaulted(
      () => {
        throw new Error("asked");
      },
      reviewOf({ operation: "DELETE", oldObject: siteObject() }),
    );
    expect(answer.review.response).toEqual({ uid: "705ab4f5", allowed: true, status: { metadata: {}, code: 200 } });
  });

  it("WH-025 without changes is answered without a patch", async () => {
    const { review } = await defaulted(
      (site) => {
        site.spec.image ??= "nginx";
      },
      reviewOf({ object: siteObject({ image: "own" }) }),
    );
    expect(review.response).toEqual({ uid: "705ab4f5", allowed: true, status: { metadata: {}, code: 200 } });
  });

  it("WH-026 may throw the API server's error, or any other: a denial; an object that is not a Site is 400", async () => {
    const object = siteObject();
    const throwing = (error: unknown) => async () => {
      throw error;
    };
    const missing = notFound({ group: "", resource: "secrets" }, "a");
    const wrapped = new Error("looking up", { cause: missing });
    for (const error of [missing, wrapped]) {
      const { review } = await defaulted(throwing(error), reviewOf({ object }));
      expect(review.response).toMatchObject({
        allowed: false,
        status: { code: 404, message: 'secrets "a" not found' },
      });
    }
    const { review } = await defaulted(throwing(new Error("no image left")), reviewOf({ object }));
    expect(review.response.status).toEqual({ metadata: {}, code: 403, reason: "Forbidden", message: "no image left" });
    const pod = { apiVersion: "v1", kind: "Pod", metadata: {} };
    const other = await defaulted(() => {}, reviewOf({ object: pod }));
    expect(other.review.response).toMatchObject({ allowed: false, status: { code: 400 } });
  });
});

describe("a validator", () => {
  const [object, oldObject] = [siteObject({ image: "new" }), siteObject({ image: "old" })];

  it.each([
    ["CREATE", { object }, ["new"]],
    ["UPDATE", { object, oldObject }, ["new", "old"]],
    ["DELETE", { oldObject }, ["old"]],
    ["CONNECT", {}, []],
  ])("WH-027 gets the objects of %s, and allows with 200 if it returns nothing", async (operation, request, images) => {
    const seen: unknown[] = [];
    const validator: Validator<Shop> = {
      create: (site) => void seen.push(site.spec.image),
      update: (site, old) => void seen.push(site.spec.image, old.spec.image),
      delete: async (site) => void seen.push(site.spec.image),
    };
    const { review } = await validated(validator, { operation, ...request });
    expect(review.response).toEqual({ uid: "705ab4f5", allowed: true, status: { metadata: {}, code: 200 } });
    expect(seen).toEqual(images);
  });

  it("WH-028 may warn, whether it allows or refuses", async () => {
    const warned = await validated(
      {
        create: (_site, { warn }) => {
          warn("a");
          return ["b", "c"];
        },
      },
      { object },
    );
    expect(warned.review.response).toMatchObject({ allowed: true, warnings: ["a", "b", "c"] });
    const refused = await validated(
      {
        create: (_site, { warn }) => {
          warn("a");
          throw new Error("no");
        },
      },
      { object },
    );
    expect(refused.review.response).toMatchObject({ allowed: false, warnings: ["a"], status: { message: "no" } });
  });

  it("WH-029 refuses with 403 for any error, and with the status of an error that has one", async () => {
    const thrown = async (error: unknown) => {
      const { review } = await validated(
        {
          update: () => {
            throw error;
          },
        },
        { operation: "UPDATE", object, oldObject },
      );
      return review.response;
    };
    expect(await thrown(new Error("not on Fridays"))).toMatchObject({
      allowed: false,
      status: { code: 403, reason: "Forbidden", message: "not on Fridays" },
    });
    expect(await thrown("a text")).toMatchObject({ status: { code: 403, message: "a text" } });
    expect(await thrown(refused("only ops"))).toMatchObject({ status: { code: 403, message: "only ops" } });
    expect((await thrown(invalid("spec.image", "new", "is immutable"))).status).toMatchObject({
      code: 422,
      reason: "Invalid",
      message: 'Site.shop.example.com "north" is invalid: spec.image: Invalid value: "new": is immutable',
      details: { kind: "Site", causes: [{ field: "spec.image", reason: "FieldValueInvalid" }] },
    });
  });

  it("WH-027 answers 400 to invalid objects and unknown operations", async () => {
    const any: Validator<Shop> = { create: () => {}, update: () => {} };
    for (const [request, message] of [
      [{ operation: "CREATE" }, "there is no content to decode"],
      [{ operation: "UPDATE", object }, "there is no content to decode"],
      [{ operation: "MOVE", object }, 'unknown operation "MOVE"'],
    ] as const)
      expect((await validated(any, request)).review.response.status).toMatchObject({ code: 400, message });
  });
});
