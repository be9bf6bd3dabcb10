import { defineKind, type KubeObject, unstructured } from "@kubewright/apimachinery";
import { type Conversion, conversion, type HubAndSpokes, type HubSpoke } from "@kubewright/webhook";
import { describe, expect, it } from "vitest";
import { RunningServer } from "./running-server.ts";

interface Job extends KubeObject {
  spec: Record<string, unknown>;
}

const group = "batch.example.com";
const kindOf = (version: string, kind = "Job") => unstructured({ apiVersion: `${group}/${version}`, kind });
const job = (version: string, spec: object, metadata: object = {}) => ({
  apiVersion: `${group}/${version}`,
  kind: "Job",
  metadata: { name: "a", namespace: "b", uid: "c", generation: 3, labels: { l: "1" }, ...metadata },
  spec,
});

/** v1 has the schedule as one text; the other versions have parts of it under a different name. */
const spoke = (version: string, field: string): HubSpoke => ({
  kind: kindOf(version),
  toHub: ({ spec, ...rest }: Job) => ({ ...rest, spec: { schedule: spec[field] } }),
  fromHub: async ({ spec, ...rest }: Job) => ({ ...rest, spec: { [field]: spec.schedule } }),
});
const versions: HubAndSpokes = { hub: kindOf("v1"), spokes: [spoke("v2", "cron"), spoke("v3", "when")] };

const reviewOf = (desired: string, ...objects: readonly unknown[]) => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "ConversionReview",
  request: { uid: "705ab4f5", desiredAPIVersion: desired, objects },
});

async function converted(body: unknown, of: Conversion = versions) {
  await using server = await RunningServer.start([conversion(of)]);
  return await server.post("/convert", { body });
}

const failedWith = (message: unknown) => ({
  status: 200,
  review: {
    kind: "ConversionReview",
    response: { uid: "705ab4f5", convertedObjects: [], result: { status: "Failure", message } },
  },
});

describe("a conversion", () => {
  it.each([
    ["from a spoke to the hub", "v2", { cron: "* 5" }, "v1", { schedule: "* 5" }],
    ["from the hub to a spoke", "v1", { schedule: "* 5" }, "v3", { when: "* 5" }],
    ["between spokes", "v2", { cron: "* 5" }, "v3", { when: "* 5" }],
  ])("WH-038 goes %s", async (_way, from, spec, to, made) => {
    const { status, review } = await converted(reviewOf(`${group}/${to}`, job(from, spec), job(from, spec)));
    expect(status).toBe(200);
    expect(review).toEqual({
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "ConversionReview",
      response: {
        uid: "705ab4f5",
        convertedObjects: [job(to, made), job(to, made)],
        result: { metadata: {}, status: "Success" },
      },
    });
  });

  it("WH-038 gives the same result as the kind itself, where possible", async () => {
    const seen: string[] = [];
    const whole = {
      ...{ group, kind: "Job" },
      convert: ({ metadata, kind }: KubeObject, apiVersion: string) => {
        seen.push(apiVersion);
        return { apiVersion, kind, metadata: apiVersion.endsWith("v3") ? { name: "z" } : metadata, spec: {} };
      },
    };
    const { review } = await converted(reviewOf(`${group}/v1`, job("v2", {})), whole);
    expect(review.response.convertedObjects).toEqual([job("v1", {})]);
    expect(await converted(reviewOf(`${group}/v3`, job("v2", {})), whole)).toMatchObject(
      failedWith('convert of Job "b/a": metadata.name: must stay "a", got "z"'),
    );
    expect(seen).toEqual([`${group}/v1`, `${group}/v3`]);
  });

  it("WH-038 preserves each digit of a number", async () => {
    const body = JSON.stringify(reviewOf(`${group}/v1`, job("v2", { cron: 1.5 }))).replace("1.5", "9007199254740993");
    expect((await converted(body)).text).toContain('"schedule":9007199254740993');
  });

  it.each([
    ["other.example.com/v1", job("v2", {}), /does not belong to same API Group/],
    [`${group}/v2`, job("v2", {}), /conversion is not allowed between same type batch\.example\.com\/v2, Kind=Job/],
    [`${group}/v1`, { ...job("v2", {}), kind: "Other" }, /is not convertible.*no hub is defined for Other/],
    [`${group}/v1`, job("v9", {}), /v9, Kind=Job is not convertible to .*v1, Kind=Job: the version v9 is unknown/],
    [`${group}/v9`, job("v1", {}), /is not convertible to batch\.example\.com\/v9, Kind=Job: the version v9/],
    ["a/b/c", job("v1", {}), /desiredAPIVersion.*unexpected GroupVersion string/],
    [`${group}/v1`, 5, /has no apiVersion or kind/],
    [`${group}/v1`, { apiVersion: `${group}/v2`, kind: "Job" }, /metadata: expected an object/],
  ])("WH-039 to %s fails if there is no path, and nothing is converted: %o", async (desired, object, message) => {
    const answer = await converted(reviewOf(desired, job("v3", { when: "x" }), object));
    expect(answer).toMatchObject(failedWith(expect.stringMatching(message)));
  });

  it.each<[string, (made: Job) => unknown, RegExp]>([
    [
      "a changed name",
      (o) => ({ ...o, metadata: { ...o.metadata, name: "z" } }),
      /metadata\.name: must stay "a", got "z"/,
    ],
    [
      "no name",
      ({ metadata: { name: _, ...metadata }, ...o }) => ({ ...o, metadata }),
      /metadata\.name: must stay "a"/,
    ],
    ["another uid", (o) => Object.assign(o, { metadata: { ...o.metadata, uid: "z" } }), /metadata\.uid/],
    [
      "a name changed in place",
      (o) => Object.assign(o, { metadata: Object.assign(o.metadata, { name: "z" }) }),
      /metadata\.name/,
    ],
    ["nothing", () => undefined, /the object: expected one of batch\.example\.com\/v1, got undefined/],
    ["another kind", (o) => ({ ...o, kind: "Other" }), /kind: must stay "Job", got "Other"/],
    ["a third version", (o) => ({ ...o, apiVersion: `${group}/v7` }), /apiVersion: must be "batch\.example\.com\/v1"/],
    ["no metadata", ({ metadata: _, ...o }) => o, /metadata: must stay/],
  ])("WH-039 that produces %s is refused, naming the field", async (_what, make, message) => {
    const wrong: HubAndSpokes = {
      hub: kindOf("v1"),
      spokes: [{ kind: kindOf("v2"), toHub: (o: Job) => make(o), fromHub: (o) => o }],
    };
    const answer = await converted(reviewOf(`${group}/v1`, job("v2", {})), wrong);
    expect(answer).toMatchObject(failedWith(expect.stringMatching(message)));
    expect(answer.review.response.result.message).toContain('toHub of Job "b/a"');
  });

  it("WH-038 preserves metadata that converters omit or change, except labels and annotations", async () => {
    const { metadata } = job("v2", {});
    const slim: HubAndSpokes = {
      hub: kindOf("v1"),
      spokes: [
        {
          kind: kindOf("v2"),
          toHub: () => ({ metadata: { name: "a", namespace: "b", uid: "c", annotations: { n: "2" } }, spec: {} }),
          fromHub: (o) => o,
        },
      ],
    };
    const { review } = await converted(reviewOf(`${group}/v1`, job("v2", {})), slim);
    const { labels: _, ...kept } = metadata;
    expect(review.response.convertedObjects).toEqual([
      { apiVersion: `${group}/v1`, kind: "Job", metadata: { ...kept, annotations: { n: "2" } }, spec: {} },
    ]);
  });

  it("WH-039 whose converter throws fails with its text, or without it for a programming error, which is counted", async () => {
    const throwing = (error: Error): HubAndSpokes => ({
      hub: kindOf("v1"),
      spokes: [
        {
          kind: kindOf("v2"),
          toHub: () => {
            throw error;
          },
          fromHub: (o) => o,
        },
      ],
    });
    const body = reviewOf(`${group}/v1`, job("v2", {}));
    expect(await converted(body, throwing(new Error("no cron")))).toMatchObject(failedWith("no cron"));
    let panics = 0;
    const nothing = { inc: () => {}, dec: () => {}, observe: () => {} };
    const metrics = {
      forPath: () => ({ latency: nothing, inFlight: nothing, requests: () => nothing }),
      panics: nothing,
      conversionPanics: { inc: () => panics++ },
    };
    await using server = await RunningServer.start([conversion(throwing(new TypeError("secret")))], { metrics });
    expect(await server.post("/convert", { body })).toMatchObject(
      failedWith("internal error occurred during conversion"),
    );
    expect(panics).toBe(1);
  });
});

describe("creating a conversion", () => {
  const crd = (...names: readonly string[]) => {
    const manifest = defineKind({ group, version: "v1", kind: "Job", scope: "Namespaced" }).crd;
    const versions = names.flatMap((name) => manifest.spec.versions.map((version) => ({ ...version, name })));
    return { ...manifest, spec: { ...manifest.spec, versions } };
  };
  const other: HubSpoke = { ...spoke("v4", "x"), kind: kindOf("v4", "Other") };

  it.each<[string, Partial<HubAndSpokes>, string]>([
    [
      "a spoke of another kind",
      { spokes: [other] },
      `GroupKind Other.${group} does not match hub GroupKind Job.${group}`,
    ],
    ["two for a version", { spokes: [spoke("v2", "a"), spoke("v2", "b")] }, "duplicate spoke converter for version v2"],
    ["the hub as a spoke", { spokes: [spoke("v1", "a")] }, "the hub's own version v1"],
    [
      "a version without one",
      { crd: crd("v1", "v2", "v3", "v4") },
      "expected spoke converter for v2,v3,v4 got spoke converter for v2,v3",
    ],
    [
      "one without a version",
      { crd: crd("v1", "v2") },
      "expected spoke converter for v2 got spoke converter for v2,v3",
    ],
    ["a missing hub", { crd: crd("v2", "v3") }, "has no version v1"],
  ])("WH-040 refuses %s", (_what, wrong, message) => {
    expect(() => conversion({ ...versions, ...wrong })).toThrow(message);
    expect(() => conversion({ ...versions, ...wrong })).toThrow("failed to create hub spoke converter for Job");
  });

  it("WH-040 accepts each fitting version once", async () => {
    const fitting = conversion({ ...versions, crd: crd("v1", "v2", "v3") });
    await using server = await RunningServer.start([fitting]);
    expect(() => server.server.add(fitting)).toThrow(`a conversion for Job.${group} already exists`);
    const [definition] = server.server.configurations({ url: "https://example.com/", caBundle: "PEM" });
    expect(definition).toMatchObject({
      spec: {
        conversion: {
          strategy: "Webhook",
          webhook: {
            clientConfig: { url: "https://example.com/convert", caBundle: "UEVN" },
            conversionReviewVersions: ["v1"],
          },
        },
      },
    });
  });
});

it.each([
  [""],
  ["{"],
  ["[]"],
  ['{"apiVersion":"v1","kind":"Pod"}'],
  [JSON.stringify({ apiVersion: "apiextensions.k8s.io/v1", kind: "ConversionReview" })],
  [JSON.stringify({ ...reviewOf("x/v1"), request: { objects: 5 } })],
])("WH-041 answers HTTP 400 to %j, which requests nothing", async (body) => {
  expect(await converted(body)).toMatchObject({ status: 400, text: "" });
});
