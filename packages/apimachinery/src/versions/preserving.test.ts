import { Type } from "typebox";
import { describe, expect, expectTypeOf, it } from "vitest";
import { defineKind } from "../definition/define-kind.ts";
import type { ObjectOf } from "../object/kind.ts";
import type { KubeObject } from "../object/object.ts";
import { typedSchema } from "../schema/schema-type.ts";
import { keptDataAnnotation } from "./kept-data.ts";
import { preserving, spoke } from "./spoke.ts";
import { versions } from "./versions.ts";

interface Port {
  name: string;
  number: number;
  protocol?: string;
}
const shared = { group: "shop.example.com", kind: "Site", scope: "Namespaced" } as const;

const SiteV1 = defineKind({
  ...shared,
  version: "v1",
  spec: Type.Object({
    host: Type.String(),
    weight: Type.Optional(Type.Integer({ maximum: 100 })),
    tier: Type.Optional(Type.String({ default: "small" })),
    backends: Type.Optional(Type.Array(Type.Object({ host: Type.String(), weight: Type.Optional(Type.Integer()) }))),
    ports: Type.Optional(
      typedSchema<Port[]>({
        type: "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["name"],
        items: {
          type: "object",
          required: ["name", "number"],
          properties: { name: { type: "string" }, number: { type: "integer" }, protocol: { type: "string" } },
        },
      }),
    ),
    limits: Type.Optional(Type.Object({ cpu: Type.Optional(Type.String()), memory: Type.Optional(Type.String()) })),
    notes: Type.Optional(Type.String()),
    extra: Type.Optional(typedSchema<object>({ type: "object", "x-kubernetes-preserve-unknown-fields": true })),
  }),
  status: Type.Object({ ready: Type.Optional(Type.Integer()), phase: Type.Optional(Type.String()) }),
});
type SiteV1 = ObjectOf<typeof SiteV1>;

const SiteV1Beta1 = defineKind({
  ...shared,
  version: "v1beta1",
  spec: Type.Object({
    host: Type.String(),
    backends: Type.Optional(Type.Array(Type.String())),
    ports: Type.Optional(Type.Array(Type.Object({ name: Type.String(), number: Type.Integer() }))),
    cpu: Type.Optional(Type.String()),
  }),
  status: Type.Object({ ready: Type.Optional(Type.Integer()) }),
});
type SiteV1Beta1 = ObjectOf<typeof SiteV1Beta1>;

const Site = versions(SiteV1, {
  spokes: [
    spoke(
      SiteV1Beta1,
      preserving({
        toHub: ({ spec: { host, backends, ports, cpu }, status }) => {
          expectTypeOf(host).toEqualTypeOf<string>();
          return {
            spec: {
              host,
              ports,
              backends: backends?.map((each) => ({ host: each })),
              ...(cpu === undefined ? {} : { limits: { cpu } }),
            },
            status: status && { ready: status.ready },
          };
        },
        fromHub: ({ spec: { host, backends, ports, limits }, status }) => ({
          spec: {
            host,
            backends: backends?.map((each) => each.host),
            ports: ports?.filter(({ name }) => name !== "hidden").map(({ name, number }) => ({ name, number })),
            cpu: limits?.cpu,
          },
          status: status && { ready: status.ready },
        }),
      }),
    ),
  ],
});
const [v1, v1beta1] = ["shop.example.com/v1", "shop.example.com/v1beta1"];

const hub = (spec: Omit<SiteV1["spec"], "host">, status?: SiteV1["status"]): SiteV1 => ({
  apiVersion: v1,
  kind: "Site",
  metadata: { name: "north", annotations: { mine: "x" } },
  spec: { host: "h", tier: "small", ...spec },
  ...(status ? { status } : {}),
});
const down = (object: SiteV1): SiteV1Beta1 => Site.convert(object, v1beta1) as SiteV1Beta1;
const up = (object: KubeObject): SiteV1 => Site.convert(object, v1) as SiteV1;
/** Returns the hub object after a change through the spoke. */
const edited = (object: SiteV1, edit: (spec: SiteV1Beta1["spec"]) => void): SiteV1["spec"] => {
  const atSpoke = down(object);
  edit(atSpoke.spec);
  return up(atSpoke).spec;
};

const full = hub(
  {
    weight: 3,
    tier: "large",
    backends: [{ host: "a", weight: 1 }, { host: "b", weight: 2 }, { host: "b" }],
    ports: [
      { name: "http", number: 80, protocol: "TCP" },
      { name: "dns", number: 53, protocol: "UDP" },
    ],
    limits: { cpu: "1", memory: "1Gi" },
  },
  { ready: 1, phase: "Up" },
);

describe("data that a spoke cannot represent", () => {
  it("is restored, and the stored object has no annotation", () => {
    const atSpoke = down(full);
    expect(atSpoke.spec).not.toHaveProperty("weight");
    expect(Object.keys(atSpoke.metadata.annotations ?? {})).toEqual(["mine", keptDataAnnotation]);
    expect(up(atSpoke)).toEqual(full);
  });

  it("is not kept if the spoke represents everything, including the defaults of the hub", () => {
    const atSpoke = down(hub({ backends: [{ host: "a" }] }));
    expect(atSpoke.metadata.annotations).toEqual({ mine: "x" });
    expect(down({ ...full, spec: { host: "h" }, metadata: atSpoke.metadata }).metadata.annotations).toHaveProperty([
      keptDataAnnotation,
    ]); // the status' phase
  });

  it("is kept when other fields are edited through the spoke, which take precedence", () => {
    const spec = edited(full, (at) => {
      at.host = "other";
      at.cpu = "2";
    });
    expect(spec).toEqual({ ...full.spec, host: "other", limits: { cpu: "2", memory: "1Gi" } });
  });

  it("is removed with the value that contains it", () => {
    expect(edited(full, (at) => delete at.backends)).not.toHaveProperty("backends");
    expect(edited(hub({ limits: { cpu: "1" }, weight: 1 }), (at) => delete at.cpu)).not.toHaveProperty("limits");
  });

  it("is matched to the items of a list by their keys", () => {
    const spec = edited(full, (at) => {
      at.ports = [
        { name: "dns", number: 5353 },
        { name: "new", number: 1 },
      ];
    });
    expect(spec.ports).toEqual([
      { name: "dns", number: 5353, protocol: "UDP" },
      { name: "new", number: 1 },
    ]);
  });

  it("is appended if the spoke does not show an item at all, unless a new item has the key", () => {
    const ports = [
      { name: "hidden", number: 1 },
      { name: "http", number: 80, protocol: "TCP" },
    ];
    const http = { name: "http", number: 81 };
    expect(edited(hub({ ports }), (at) => void at.ports?.splice(0, 1, http)).ports).toEqual([
      { ...http, protocol: "TCP" },
      { name: "hidden", number: 1 },
    ]);
    expect(edited(hub({ ports }), (at) => void at.ports?.splice(0, 1, { name: "hidden", number: 2 })).ports).toEqual([
      { name: "hidden", number: 2 },
    ]);
  });

  it("is matched to the items of a list without keys by equality, then by position", () => {
    expect(
      edited(full, (at) => {
        at.backends = ["b", "new", "a"];
      }).backends,
    ).toEqual([{ host: "b", weight: 2 }, { host: "new" }, { host: "a", weight: 1 }]);
    expect(
      edited(full, (at) => {
        at.backends = ["c", "b", "b"];
      }).backends,
    ).toEqual([{ host: "c", weight: 1 }, { host: "b", weight: 2 }, { host: "b" }]);
    expect(
      edited(full, (at) => {
        at.backends = ["b", "d"];
      }).backends,
    ).toEqual([{ host: "b", weight: 2 }, { host: "d" }]);
  });

  it("keeps integers beyond 2^53, and members of any name", () => {
    const odd = JSON.parse('{"__proto__": "x", "constructor": "y"}') as Record<string, string>;
    const labelled = hub({ weight: 1 });
    const object: SiteV1 = { ...labelled, metadata: { ...labelled.metadata, labels: odd } };
    expect(up(down(object))).toEqual(object);
  });

  it("of an older hub is discarded", () => {
    const atSpoke = down(full);
    const annotations = {
      [keptDataAnnotation]: JSON.stringify({ apiVersion: "shop.example.com/v0", body: full.spec }),
    };
    const converted = up({ ...atSpoke, metadata: { ...atSpoke.metadata, annotations } });
    expect(converted.spec).not.toHaveProperty("weight");
    expect(converted.metadata).toEqual({ name: "north" });
  });

  it("replaces a value that a user has set in the hub's annotation", () => {
    const object = hub({});
    object.metadata.annotations = { [keptDataAnnotation]: "mine" };
    expect(down(object).metadata).toEqual({ name: "north" });
  });
});

describe("an annotation that cannot be used", () => {
  const withText = (text: string): SiteV1Beta1 => {
    const atSpoke = down(hub({}));
    return { ...atSpoke, metadata: { name: "north", annotations: { [keptDataAnnotation]: text } } };
  };
  const at = `metadata.annotations[${keptDataAnnotation}]: Invalid value: `;

  it("is too small for the object, which can be read, but only changed at the hub", () => {
    const large = hub({ notes: "x".repeat(262_020) });
    const atSpoke = down(large);
    expect(atSpoke.spec.host).toBe("h");
    expect(atSpoke.metadata.annotations?.[keptDataAnnotation]?.length).toBeLessThan(100);
    expect(() => up(atSpoke)).toThrow(
      `${at}"262111 bytes": the data that this version cannot represent is too large for the annotation; change the object at ${v1}, or remove the annotation`,
    );
    expect(up(down(hub({ notes: "x".repeat(261_000) }))).spec.notes).toHaveLength(261_000);
  });

  it.each<[string, string]>([
    ["not JSON", "is not valid kept data; remove the annotation to discard the data that it keeps"],
    ['"text"', "is not valid kept data"],
    [JSON.stringify({ apiVersion: v1 }), "is not valid kept data"],
    [JSON.stringify({ apiVersion: v1, body: {} }), "spec: Required value; remove the annotation"],
    [
      JSON.stringify({ apiVersion: v1, body: { spec: { host: "h", weight: 101 } } }),
      "spec.weight: Invalid value: 101: spec.weight in body should be less than or equal to 100; remove the annotation",
    ],
    [
      `{"apiVersion":"${v1}","body":{"spec":{"host":"h","extra":{"a":"]","b":${"[".repeat(100_000)}${"]".repeat(100_000)}}}}}`,
      "is not valid kept data",
    ],
    ['"\\'.repeat(80_000), "is not valid kept data"],
  ])("was written by a user: %.60s", (text, problem) => {
    const run = () => up(withText(text));
    expect(run).toThrow(at);
    expect(run).toThrow(problem);
  });

  it("adds nothing that is not in the hub's schema", () => {
    const body = { spec: { host: "h", weight: 1, surprise: true } };
    expect(up(withText(JSON.stringify({ apiVersion: v1, body }))).spec).toEqual({
      host: "h",
      weight: 1,
      tier: "small",
    });
  });
});

describe("kept data and the current object", () => {
  const Choice = defineKind({
    ...shared,
    version: "v1",
    spec: typedSchema<{ kind: string; size?: number }>({
      type: "object",
      properties: { kind: { type: "string" }, size: { type: "integer" } },
      oneOf: [
        { required: ["size"], properties: { kind: { enum: ["sized"] } } },
        { properties: { kind: { enum: ["plain"] } } },
      ],
    }),
  });
  const Old = defineKind({ ...shared, version: "v1beta1", spec: Type.Object({ kind: Type.String() }) });
  const kind = versions(Choice, {
    spokes: [
      spoke(
        Old,
        preserving({
          toHub: ({ spec }) => ({ spec }),
          fromHub: ({ spec }) => ({ spec: { kind: spec.kind } }),
        }),
      ),
    ],
  });

  it("are rejected if the hub's schema rejects their combination", () => {
    const object: KubeObject & { spec: object } = {
      apiVersion: v1,
      kind: "Site",
      metadata: { name: "a" },
      spec: { kind: "sized", size: 1 },
    };
    const atSpoke = kind.convert(object, v1beta1);
    expect(kind.convert(atSpoke, v1)).toEqual(object);
    const changed = { ...atSpoke, spec: { kind: "neither" } };
    expect(() => kind.convert(changed, v1)).toThrow("is not consistent with the current object: ");
    expect(() => kind.convert(changed, v1)).toThrow(`change the object at ${v1}, or remove the annotation`);
  });
});
