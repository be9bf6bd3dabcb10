import { Type } from "typebox";
import { describe, expect, expectTypeOf, it } from "vitest";
import { defineKind } from "../definition/define-kind.ts";
import type { ObjectOf } from "../object/kind.ts";
import type { KubeObject } from "../object/object.ts";
import { typedSchema } from "../schema/schema-type.ts";
import { parseJsonNumbers, stringifyJson } from "../value/json.ts";
import { ConversionError, isConversionError } from "./conversion-error.ts";
import { withConversionWebhook } from "./conversion-webhook.ts";
import { spoke } from "./spoke.ts";
import { versions } from "./versions.ts";

const shared = { group: "shop.example.com", kind: "Site", scope: "Namespaced", shortNames: ["st"] } as const;

const SiteV1 = defineKind({
  ...shared,
  version: "v1",
  spec: Type.Object({
    host: Type.String(),
    port: Type.Integer({ default: 80 }),
    serial: Type.Optional(Type.Integer()),
    extra: Type.Optional(
      typedSchema<Record<string, unknown>>({ type: "object", "x-kubernetes-preserve-unknown-fields": true }),
    ),
  }),
  status: Type.Object({ ready: Type.Optional(Type.Boolean()) }),
});
type SiteV1 = ObjectOf<typeof SiteV1>;

const SiteV1Beta1 = defineKind({
  ...shared,
  version: "v1beta1",
  deprecated: "use v1",
  spec: Type.Object({
    hostPort: Type.String(),
    serial: Type.Optional(Type.Integer()),
    extra: Type.Optional(
      typedSchema<Record<string, unknown>>({ type: "object", "x-kubernetes-preserve-unknown-fields": true }),
    ),
  }),
  status: Type.Object({ ready: Type.Optional(Type.Boolean()) }),
  columns: [{ name: "Address", type: "string", jsonPath: ".spec.hostPort" }],
  selectableFields: [".spec.hostPort"],
});

const SiteV1Alpha1 = defineKind({
  ...shared,
  version: "v1alpha1",
  served: false,
  deprecated: true,
  spec: Type.Object({ address: Type.Object({ host: Type.String(), port: Type.Integer() }) }),
});

const Site = versions(SiteV1, {
  spokes: [
    spoke(SiteV1Beta1, {
      toHub: ({ spec: { hostPort, ...rest }, status }) => {
        const [host = "", port = "80"] = hostPort.split(":");
        return { spec: { ...rest, host, port: Number(port) }, status };
      },
      fromHub: ({ spec: { host, port, ...rest }, status }) => ({
        spec: { ...rest, hostPort: `${host}:${port}` },
        status,
      }),
    }),
    spoke(SiteV1Alpha1, {
      toHub: ({ spec: { address } }) => ({ spec: { ...address } }),
      fromHub: ({ spec: { host, port }, metadata }) => ({
        spec: { address: { host, port } },
        metadata: { ...metadata, labels: { ...metadata.labels, shop: "yes" } },
      }),
    }),
  ],
});

const site = (version: string, spec: object, more: object = {}): KubeObject =>
  Object.freeze({
    apiVersion: `shop.example.com/${version}`,
    kind: "Site",
    metadata: Object.freeze({ name: "north", namespace: "web", uid: "u-1", generation: 3, labels: { a: "b" } }),
    spec: Object.freeze(spec),
    ...more,
  });

const failure = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  throw new Error("nothing was thrown");
};

describe("the type of a kind in versions", () => {
  it("is the hub's, and conversions need no type arguments", () => {
    expectTypeOf<ObjectOf<typeof Site>>().toEqualTypeOf<SiteV1>();
    versions(SiteV1, {
      spokes: [
        spoke(SiteV1Beta1, {
          toHub: (object) => {
            expectTypeOf(object).toEqualTypeOf<ObjectOf<typeof SiteV1Beta1>>();
            return { spec: { host: object.spec.hostPort, port: 1, serial: undefined } };
          },
          fromHub: (object) => {
            expectTypeOf(object).toEqualTypeOf<SiteV1>();
            return { ...object, spec: { hostPort: object.spec.host } };
          },
        }),
      ],
    });
  });

  it("rejects results without the type of the other version", () => {
    versions(SiteV1, {
      spokes: [
        spoke(SiteV1Beta1, {
          // @ts-expect-error the hub's port is missing
          toHub: ({ spec }) => ({ spec: { host: spec.hostPort } }),
          fromHub: ({ spec }) => ({ spec: { hostPort: spec.host } }),
        }),
        spoke(SiteV1Alpha1, {
          toHub: ({ spec }) => ({ spec: { ...spec.address } }),
          // @ts-expect-error the port of this version is a number
          fromHub: ({ spec }) => ({ spec: { address: { host: spec.host, port: "80" } } }),
        }),
      ],
    });
    // @ts-expect-error objects of the two are of different types, so there must be functions
    expect(() => versions(SiteV1, { spokes: [spoke(SiteV1Beta1)] })).toThrow("requires toHub and fromHub");
  });
});

describe("the CustomResourceDefinition of several versions", () => {
  it("stores the hub, and contains the settings of each version", () => {
    expect(Site.versions).toEqual(["v1", "v1beta1", "v1alpha1"]);
    expect(Site.version).toBe("v1");
    expect(Site.crd.spec.names.shortNames).toEqual(["st"]);
    expect(Site.crd.spec.versions.map(({ schema: _schema, ...version }) => version)).toEqual([
      { name: "v1", served: true, storage: true, subresources: { status: {} } },
      {
        name: "v1beta1",
        served: true,
        storage: false,
        deprecated: true,
        deprecationWarning: "shop.example.com/v1beta1 Site is deprecated; use v1",
        subresources: { status: {} },
        additionalPrinterColumns: [{ name: "Address", type: "string", jsonPath: ".spec.hostPort" }],
        selectableFields: [{ jsonPath: ".spec.hostPort" }],
      },
      { name: "v1alpha1", served: false, storage: false, deprecated: true },
    ]);
    expect(Site.crd.spec.versions[1]?.schema).toEqual(SiteV1Beta1.crd.spec.versions[0]?.schema);
    expect(SiteV1.crd.spec.versions).toHaveLength(1);
  });

  it("has a webhook address that does not exist until it is set", () => {
    expect(Site.crd.spec.conversion?.webhook?.clientConfig?.url).toBe(
      "https://conversion-webhook-not-installed.invalid/convert",
    );
    const service = { namespace: "shop", name: "webhook-service" };
    expect(withConversionWebhook(Site.crd, { service, caBundle: "Q0E=" }).spec.conversion).toEqual({
      strategy: "Webhook",
      webhook: {
        clientConfig: { service: { ...service, path: "/convert" }, caBundle: "Q0E=" },
        conversionReviewVersions: ["v1"],
      },
    });
    expect(failure(() => withConversionWebhook(Site.crd, {}))).toBe(
      "conversion webhook of sites.shop.example.com: set service or url",
    );
    expect(failure(() => withConversionWebhook(Site.crd, { url: "http://a/convert" }))).toContain(
      'url "http://a/convert" must start with https://',
    );
  });

  it("needs no webhook where the versions have the same fields", () => {
    const Beta = defineKind({
      ...shared,
      version: "v1beta1",
      spec: Type.Object({ host: Type.String({ maxLength: 9 }) }),
    });
    const Same = defineKind({ ...shared, version: "v1", spec: Type.Object({ host: Type.String() }) });
    const kind = versions(Same, { spokes: [spoke(Beta)] });
    expect(kind.crd.spec.conversion).toEqual({ strategy: "None" });
    expect(withConversionWebhook(kind.crd, { url: "https://a/convert" })).toBe(kind.crd);
    const object = site("v1beta1", { host: "h" });
    expect(kind.convert(object, "shop.example.com/v1")).toEqual({ ...object, apiVersion: "shop.example.com/v1" });
    expect(versions(Same).crd).toEqual(Same.crd);
  });
});

describe("convert", () => {
  const v1 = site("v1", { host: "h", port: 1 }, { status: { ready: true } });

  it("converts an object of a spoke to the hub and back", () => {
    const beta = Site.convert(v1, "shop.example.com/v1beta1");
    expect(beta).toEqual({ ...v1, apiVersion: "shop.example.com/v1beta1", spec: { hostPort: "h:1" } });
    expect(Site.convert(beta, "shop.example.com/v1")).toEqual(v1);
  });

  it("returns an object of the desired kind, and rejects a different kind", () => {
    const beta = Site.convert(v1, SiteV1Beta1);
    expect(beta.spec.hostPort).toBe("h:1");
    expect(Site.convert(beta, SiteV1).spec.host).toBe("h");
    expect(Site.convert(beta, Site).spec.port).toBe(1);
    const Shop = defineKind({ ...shared, kind: "Shop", plural: "shops", version: "v1beta1", spec: Type.Object({}) });
    expect(() => Site.convert(v1, Shop)).toThrow(expect.objectContaining({ name: "ConversionError", field: "kind" }));
  });

  it("is also available for each spoke", () => {
    expect(Site.hub).toBe(SiteV1);
    const [spokeOf, ...others] = Site.spokes;
    expect([spokeOf, ...others].map((each) => each?.kind.version)).toEqual(["v1beta1", "v1alpha1"]);
    const beta = spokeOf?.fromHub(v1);
    expect(beta).toEqual(Site.convert(v1, "shop.example.com/v1beta1"));
    expect(beta && spokeOf?.toHub(beta)).toEqual(v1);
  });

  it("converts an object of one spoke to another spoke through the hub", () => {
    const beta = site("v1beta1", { hostPort: "h:1" });
    expect(Site.convert(beta, "shop.example.com/v1alpha1")).toEqual({
      apiVersion: "shop.example.com/v1alpha1",
      kind: "Site",
      metadata: { ...beta.metadata, labels: { a: "b", shop: "yes" } },
      spec: { address: { host: "h", port: 1 } },
    });
  });

  it("keeps what a function spreads: unknown fields and integers beyond 2^53", () => {
    const spec = { host: "h", port: 1, serial: 9_007_199_254_740_993n, unknown: [1], extra: { a: { b: 1n } } };
    const beta = Site.convert(site("v1", spec), "shop.example.com/v1beta1");
    expect(beta).toHaveProperty("spec", { hostPort: "h:1", serial: spec.serial, unknown: [1], extra: spec.extra });
    expect(Site.convert(beta, "shop.example.com/v1")).toEqual(site("v1", spec));
    const read = { host: "h", port: 1, extra: parseJsonNumbers('{"a":9007199254740993,"b":[9007199254740993]}') };
    expect(stringifyJson(Site.convert(site("v1", read), "shop.example.com/v1beta1"))).toContain(
      '"extra":{"a":9007199254740993,"b":[9007199254740993]}',
    );
  });

  it.each<[string, object, string, string]>([
    ["another group", { ...v1, apiVersion: "other.example.com/v1" }, "shop.example.com/v1beta1", "apiVersion"],
    ["another group wanted", v1, "other.example.com/v1", "desiredAPIVersion"],
    ["an unknown version", v1, "shop.example.com/v3", "desiredAPIVersion"],
    ["the same version", v1, "shop.example.com/v1", "desiredAPIVersion"],
    ["another kind", { ...v1, kind: "Shop" }, "shop.example.com/v1beta1", "kind"],
    ["no metadata", { apiVersion: "shop.example.com/v1", kind: "Site" }, "shop.example.com/v1beta1", "object"],
  ])("refuses %s", (_what, object, desired, field) => {
    const run = () => Site.convert(object as KubeObject, desired);
    expect(run).toThrow(ConversionError);
    expect(run).toThrow(expect.objectContaining({ field }));
  });

  it("reports the existing versions", () => {
    expect(failure(() => Site.convert(v1, "shop.example.com/v3"))).toBe(
      'converting to shop.example.com/v3: desiredAPIVersion: Invalid value: "shop.example.com/v3": shop.example.com/v3, Kind=Site is not convertible; the versions are shop.example.com/v1, shop.example.com/v1beta1, shop.example.com/v1alpha1',
    );
  });

  describe("by a function that does something else", () => {
    const returning = (result: unknown) =>
      versions(SiteV1, {
        spokes: [
          spoke(SiteV1Beta1, {
            toHub: () => result as { spec: { host: string; port: number } },
            fromHub: ({ spec }) => ({ spec: { hostPort: spec.host } }),
          }),
        ],
      });
    const beta = site("v1beta1", { hostPort: "h:1" });
    const spec = { host: "h", port: 1 };

    it.each<[string, unknown, string]>([
      ["nothing", undefined, "object: Invalid value: null: must be returned by toHub and fromHub"],
      [
        "a promise",
        Promise.resolve({ spec }),
        "must be returned directly by toHub and fromHub, which cannot be asynchronous",
      ],
      ["another kind", { kind: "Shop", spec }, 'kind: Invalid value: "Shop": must be Site or absent'],
      [
        "another version",
        { apiVersion: "shop.example.com/v1alpha1", spec },
        'apiVersion: Invalid value: "shop.example.com/v1alpha1": must be shop.example.com/v1 or absent',
      ],
      [
        "another name",
        { spec, metadata: { name: "south" } },
        'metadata.name: Invalid value: "south": must stay "north": a conversion may change only labels and annotations',
      ],
      [
        "another uid",
        { spec, metadata: { ...beta.metadata, uid: "u-2" } },
        'metadata.uid: Invalid value: "u-2": must stay',
      ],
      ["a finalizer", { spec, metadata: { finalizers: ["a"] } }, "metadata.finalizers: Invalid value"],
      [
        "a label that is not a string",
        { spec, metadata: { labels: { a: 1 } } },
        "metadata.labels[a]: Invalid value: 1: must be a string",
      ],
      ["a date", { spec: { host: new Date(0), port: 1 } }, "spec.host: Invalid value:"],
      [
        "no number",
        { spec: { host: "h", port: Number.NaN } },
        'spec.port: Invalid value: "NaN": must be a value that JSON',
      ],
    ])("refuses %s", (_what, result, text) => {
      const message = failure(() => returning(result).convert(beta, "shop.example.com/v1"));
      expect(message).toContain('converting Site.shop.example.com "web/north" from v1beta1 to v1: ');
      expect(message).toContain(text);
    });

    it("uses the labels and annotations that are returned, and keeps the others", () => {
      const convert = (metadata: object) =>
        returning({ spec, metadata }).convert(site("v1beta1", {}), "shop.example.com/v1").metadata;
      const { labels, ...others } = beta.metadata;
      expect(convert({ annotations: { x: "y" } })).toEqual({ ...others, labels, annotations: { x: "y" } });
      expect(convert({ labels: {} })).toEqual(others);
      expect(convert({ labels: undefined })).toEqual(others);
    });

    it("omits undefined members, and shares nothing with the returned object", () => {
      const result = { spec: { ...spec, serial: undefined }, status: undefined };
      const converted = returning(result).convert(beta, "shop.example.com/v1");
      expect(Object.keys(converted)).toEqual(["apiVersion", "kind", "metadata", "spec"]);
      expect(Object.keys((converted as SiteV1).spec)).toEqual(["host", "port"]);
      expect((converted as SiteV1).spec).not.toBe(result.spec);
    });

    it("does not catch its errors", () => {
      const mine = new TypeError("no port");
      const kind = versions(SiteV1, {
        spokes: [
          spoke(SiteV1Beta1, {
            toHub: () => {
              throw mine;
            },
            fromHub: ({ spec: { host } }) => ({ spec: { hostPort: host } }),
          }),
        ],
      });
      expect(() => kind.convert(beta, "shop.example.com/v1")).toThrow(mine);
      expect(isConversionError(mine)).toBe(false);
      expect(isConversionError(new Error("outer", { cause: new ConversionError("a", "b", 1, "c") }))).toBe(true);
    });
  });
});

describe("kinds that are not versions of one", () => {
  const spec = Type.Object({ host: Type.String() });
  const hub = defineKind({ ...shared, version: "v1", spec });
  const other = (change: object) => defineKind({ ...shared, version: "v1beta1", spec, ...change });

  it.each<[object, string]>([
    [
      { group: "b.example.com" },
      'spokes[0].group: Invalid value: "b.example.com": must be the same as in the hub: shop.example.com',
    ],
    [{ kind: "Shop" }, 'spokes[0].kind: Invalid value: "Shop": must be the same as in the hub: Site'],
    [{ plural: "sitez" }, 'spokes[0].plural: Invalid value: "sitez": must be the same as in the hub: sites'],
    [{ scope: "Cluster" }, 'spokes[0].scope: Invalid value: "Cluster": must be the same as in the hub: Namespaced'],
    [
      { version: "v1" },
      'spokes[0].version: Invalid value: "v1": is the version of the hub; a spoke must have a different version',
    ],
    [
      { shortNames: ["si"] },
      'spokes[0].shortNames: Invalid value: ["si"]: all versions share this field: must be the same as in the hub: ["st"]',
    ],
    [
      { categories: ["all"] },
      'spokes[0].categories: Invalid value: ["all"]: all versions share this field: must be absent',
    ],
    [
      { spec: Type.Object({ host: Type.String(), more: Type.Optional(Type.String()) }) },
      'spokes[0]: Invalid value: "v1beta1": requires toHub and fromHub, because spec.more is different in v1',
    ],
  ])("are refused: %j", (change, text) => {
    const message = failure(() => versions(hub, { spokes: [spoke(other(change))] }));
    expect(message).toMatch(/^versions Site: /);
    expect(message).toContain(text);
  });

  it("are rejected if a version is duplicate or none is served", () => {
    expect(failure(() => versions(hub, { spokes: [spoke(other({})), spoke(other({}))] }))).toBe(
      'versions Site: spokes[1].version: Duplicate value: "v1beta1"',
    );
    const unserved = defineKind({ ...shared, version: "v1", spec, served: false });
    expect(failure(() => versions(unserved, { spokes: [spoke(other({ served: false }))] }))).toBe(
      "versions Site: served: Invalid value: false: at least one version must be served",
    );
    const several = versions(hub, { spokes: [spoke(other({}))] });
    expect(failure(() => versions(other({}), { spokes: [spoke(several)] }))).toContain(
      "must be a kind with one version",
    );
    expect(failure(() => versions(several))).toBe(
      'versions Site: hub: Invalid value: "v1": must be a kind with one version, as returned by defineKind',
    );
  });

  it("result in warnings if they are valid but unusual", () => {
    expect(versions(hub, { spokes: [spoke(other({ deprecated: true }))] }).warnings).toEqual([]);
    const old = defineKind({ ...shared, version: "v1", spec, deprecated: "use v2", served: false });
    expect(versions(old, { spokes: [spoke(other({ version: "v2" }))] }).warnings).toEqual([
      "the hub v1 is deprecated, but v2 is not; use that version as the hub",
      "the hub v1 is not served, so controllers that watch it fail because the version does not exist",
    ]);
  });
});
