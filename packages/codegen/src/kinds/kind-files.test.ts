import type { DefinedKind } from "@kubewright/apimachinery";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Definition } from "../source/definition.ts";
import { compile } from "../testing/compile.ts";
import { runGenerated } from "../testing/run-generated.ts";
import { sample } from "../testing/sample-definition.ts";
import { structuralSchemas } from "../testing/structural-schemas.ts";
import { type KindFilesOptions, kindFiles } from "./kind-files.ts";

const textOf = (source: unknown, options?: KindFilesOptions): string => kindFiles(source, options)[0]?.text ?? "";
const [v1] = sample.spec.versions;

const withVersions = (...versions: object[]): Definition => ({
  ...sample,
  spec: { ...sample.spec, versions: versions.map((version) => ({ ...v1, ...version })) as never },
});
const two = withVersions(
  { name: "v1beta1", storage: false, deprecated: true },
  { name: "v1", storage: true },
  { name: "v1alpha1", storage: false, served: false },
);
const ofSpec = (spec: object): Definition =>
  withVersions({ schema: { openAPIV3Schema: { type: "object", properties: { spec } } } });

describe("interfaces of a definition", () => {
  it("are named after their field, and match the schema", () => {
    const [file] = kindFiles(sample);
    expect(file?.path).toBe("shop.ts");
    expect(file?.text).toMatchSnapshot();
  });

  it("compile in every style", () => {
    const extremes = fc.sample(structuralSchemas, { numRuns: 40, seed: 7 }).map((schema, i) => {
      const named = ofSpec(schema);
      return [`random${i}.ts`, textOf(named)] as const;
    });
    const boxes = fc.sample(structuralSchemas, { numRuns: 20, seed: 8 }).map((schema, i) => {
      return [`box${i}.ts`, textOf(ofSpec(schema), { style: "typebox" })] as const;
    });
    const errors = compile({
      "interfaces.ts": textOf(sample),
      "several.ts": textOf(two),
      "schema.ts": textOf(two, { schema: true }),
      "typebox.ts": textOf(sample, { style: "typebox" }),
      "use.ts": `import { Shop } from "./typebox.ts";
import { Shop as Plain } from "./interfaces.ts";
const shop: Shop = Shop.parse({});
const port: number | string | undefined = shop.spec.ports[0]?.port;
const size: "big" | "small" | undefined = shop.spec.class;
const name: string = shop.metadata.name;
const plain: Plain["spec"]["fooBar"] = { b: null };
// @ts-expect-error: not one of the enum
const wrong: Plain["spec"]["class"] = "medium";
export { name, plain, port, size, wrong };
`,
      ...Object.fromEntries([...extremes, ...boxes]),
    });
    expect(errors).toBe("");
  }, 120_000);

  it("include the definition on request", () => {
    const { Shop } = runGenerated(textOf(sample, { schema: true })) as { Shop: DefinedKind };
    expect(Shop.crd).toEqual(sample);
    expect(Shop.parse({ metadata: { name: "a" }, spec: { ports: [], "foo-bar": {} } })).toMatchObject({
      spec: { protocol: "TCP", class: "small" },
    });
  });

  it("cover every served version, the stored one first and without suffix", () => {
    expect(textOf(two).match(/export const \w+/g)).toEqual(["export const Shop", "export const ShopV1Beta1"]);
    expect(textOf(two, { versions: ["v1alpha1"] })).toContain('version: "v1alpha1"');
  });
});

describe("interfaces of nested objects", () => {
  const textOfSpec = (properties: object): string => textOf(ofSpec({ type: "object", properties }));
  const namesIn = (text: string): string[] =>
    [...text.matchAll(/^export interface (\w+)/gm)].map(([, name = ""]) => name);
  const tls = { type: "object", required: ["cert"], properties: { cert: { type: "string" } } };

  it.each(["interface", "typebox"] as const)("cannot look different from what they are (%s)", (style) => {
    const hidden = "a\u202e\u2066\u200f\u001b[2J\u009b\\\u202a";
    const properties = { [hidden]: { type: "string", description: hidden, enum: [hidden], default: hidden } };
    const source = ofSpec({ type: "object", description: hidden, properties });
    const text = textOf(source, { style, schema: style === "interface" });
    expect(text).not.toMatch(/(?![\n\t])[\p{Cc}\p{Bidi_Control}]/u);
    expect(text).toContain(
      JSON.stringify(hidden).replace(/[^ -~]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`),
    );
    expect(compile({ "hidden.ts": text })).toBe("");
  });

  it("are shared if they are the same, under the name on the shortest path", () => {
    const route = { type: "object", properties: { tls, to: { type: "string" } } };
    const text = textOfSpec({ routes: { type: "array", items: route }, fallback: route, own: tls });
    expect(namesIn(text)).toEqual(["ShopSpec", "ShopRoutes", "ShopOwn", "Shop"]);
    expect(text).toContain("routes?: ShopRoutes[];\n  fallback?: ShopRoutes;\n  own?: ShopOwn;");
  });

  it("are shared by the versions of a kind", () => {
    const schema = { openAPIV3Schema: { type: "object", properties: { spec: tls } } };
    const text = textOf(withVersions({ schema }, { name: "v1beta1", storage: false, schema }));
    expect(namesIn(text)).toEqual(["ShopSpec", "Shop", "ShopV1Beta1"]);
  });

  it("are not shared if a constraint or description differs", () => {
    const described = (description: string) => ({ ...tls, properties: { cert: { type: "string", description } } });
    const short = { ...tls, properties: { cert: { type: "string", maxLength: 9 } } };
    const text = textOfSpec({ a: described("One."), b: described("Two."), c: short, d: tls, e: described("One.") });
    expect(namesIn(text)).toEqual(["ShopSpec", "ShopA", "ShopB", "ShopC", "Shop"]);
    expect(text).toMatch(/ShopA \{\n {2}\/\*\* One. \*\/\n/);
    expect(text).toMatch(/d\?: ShopA;\n {2}e\?: ShopA;/);
  });

  it("get more of their path if their name is in use, and a number if it gets too long", () => {
    const other = (name: string) => ({ type: "object", properties: { [name]: { type: "string" } } });
    const long = "a".repeat(60);
    const text = textOfSpec({
      port: other("a"),
      http: { type: "object", properties: { port: other("b") } },
      [long]: { type: "object", properties: { port: other("c") } },
    });
    expect(namesIn(text).filter((name) => name.includes("Port"))).toEqual(["ShopPort", "ShopHttpPort", "ShopPort2"]);
  });

  it("are imported if Kubernetes has them", () => {
    const text = { type: "string" };
    const selector = {
      type: "object",
      required: ["key"],
      properties: { name: text, key: text, optional: { type: "boolean" } },
    };
    const conditions = {
      type: "array",
      items: {
        type: "object",
        required: ["type", "status", "reason", "message", "lastTransitionTime"],
        properties: {
          type: text,
          status: { ...text, enum: ["True", "False", "Unknown"] },
          reason: text,
          message: text,
          lastTransitionTime: { ...text, format: "date-time" },
          observedGeneration: { type: "integer", format: "int64" },
        },
      },
    };
    const printed = textOfSpec({ secretKeyRef: selector, conditions });
    expect(printed).toContain('import type { Condition, SecretKeySelector } from "kubewright/kinds";');
    expect(printed).toMatch(/secretKeyRef\?: SecretKeySelector;\n {2}conditions\?: Condition\[\];/);
    const { spec } = ofSpec({ type: "object", properties: { conditions } });
    const named = { ...sample, spec: { ...spec, names: { plural: "conditions", kind: "Condition" } } };
    expect(textOf(named)).not.toContain("kubewright/kinds");
    expect(compile({ "known.ts": printed, "condition.ts": textOf(named) })).toBe("");
  }, 60_000);

  it("have comments with the constraints that types do not express", () => {
    const rules = [{ rule: "self.a < 5", message: "a must be small" }, { rule: "self.b != ''" }];
    const text = textOfSpec({
      port: { type: "integer", format: "int32", minimum: 1, maximum: 65_535, default: 80 },
      ratio: { type: "number", minimum: 0, exclusiveMinimum: true, multipleOf: 0.5 },
      name: { type: "string", minLength: 1, maxLength: 63, pattern: "^[a-z]*/$", "x-kubernetes-validations": rules },
      cpu: {
        "x-kubernetes-int-or-string": true,
        pattern: "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?))?$",
      },
      hosts: { type: "array", maxItems: 3, "x-kubernetes-list-type": "set", items: { type: "string", minLength: 2 } },
      ports: {
        type: "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["port", "protocol"],
        items: { ...tls, "x-kubernetes-validations": [{ rule: "has(self.cert)" }] },
      },
      labels: {
        type: "object",
        minProperties: 2,
        maxProperties: 2,
        additionalProperties: { type: "string", maxLength: 9 },
      },
    });
    expect(text).toMatchSnapshot();
  });
});

/** Text after the kinds of single versions. */
const endOf = (source: unknown): string =>
  textOf(source, { style: "typebox" })
    .split(/^export type ShopV1Beta1 = .*$/m)
    .slice(-1)
    .join("");

describe("defineKind of a definition", () => {
  it("reproduces the definition", () => {
    const { Shop } = runGenerated(textOf(sample, { style: "typebox" })) as { Shop: DefinedKind };
    expect(Shop.crd).toEqual(sample);
    const [file] = kindFiles(sample, { style: "typebox" });
    expect(file?.text).toMatchSnapshot();
  });

  it("reproduces the object schema", () => {
    const schema = v1?.schema?.openAPIV3Schema;
    for (const whole of [
      {
        ...schema,
        properties: { data: { type: "object", additionalProperties: { type: "string" } } },
        required: ["data"],
      },
      {
        ...schema,
        required: ["metadata", "spec"],
        "x-kubernetes-validations": [{ rule: "self.metadata.name != 'x'" }],
      },
      { type: "object", properties: { spec: { type: "object" } } },
      {
        type: "object",
        properties: { spec: { type: "object" }, status: { type: "object" } },
        oneOf: [{ required: ["spec"] }],
      },
      { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    ])
      for (const subresources of [
        { status: {} },
        undefined,
        { scale: { specReplicasPath: ".spec.x", statusReplicasPath: ".status.x" } },
      ]) {
        const { subresources: _, ...version } = v1 ?? {};
        const definition = {
          ...sample,
          spec: {
            ...sample.spec,
            names: { ...sample.spec.names, listKind: "Shops" },
            versions: [
              {
                ...version,
                ...(subresources ? { subresources } : {}),
                deprecated: true,
                schema: { openAPIV3Schema: whole },
              },
            ],
          },
        };
        const text = textOf(definition, { style: "typebox" });
        const { Shop } = runGenerated(text) as { Shop: DefinedKind };
        expect(Shop.crd, text).toEqual(definition);
      }
  });

  it("joins several versions, with conversion functions if fields differ or a webhook converts", () => {
    expect(endOf(two)).toMatchSnapshot();
    const converted = { ...two, spec: { ...two.spec, conversion: { strategy: "Webhook" } } };
    const functions = endOf(converted);
    expect(functions).toMatchSnapshot();
    const other = { openAPIV3Schema: { type: "object", properties: { spec: { type: "object" } } } };
    const differing = withVersions({ name: "v1beta1", storage: false, schema: other }, { name: "v1" });
    expect(endOf(differing)).toBe(functions);
  });
});

const nested = (depth: number): object => (depth === 0 ? {} : { type: "array", items: nested(depth - 1) });
const deep = (depth: number): object => (depth === 0 ? {} : { a: deep(depth - 1) });

describe("an invalid definition", () => {
  it.each([
    [{ ...sample, apiVersion: "apiextensions.k8s.io/v1beta1" }, {}, "convert to apiextensions.k8s.io/v1 first"],
    [{ kind: "Pod" }, {}, 'kind: "Pod": must be CustomResourceDefinition'],
    [null, {}, "not a CustomResourceDefinition: null"],
    [
      { ...sample, spec: { ...sample.spec, scope: "Global" } },
      {},
      'spec.scope: "Global": must be Namespaced or Cluster',
    ],
    [withVersions({ name: "v1" }, { name: "v1" }), {}, 'spec.versions[1].name: "v1": must be unique'],
    [ofSpec([]), {}, "properties[spec]: []: must be a schema"],
    [ofSpec({ type: "object", anyOf: "x" }), {}, "properties[spec].anyOf: must be a list"],
    [ofSpec({ type: "object", not: [] }), {}, "properties[spec].not[0]: []: must be a schema"],
    [ofSpec(nested(300)), {}, "schemas must not exceed 200 levels"],
    [ofSpec({ default: deep(2_000) }), {}, "spec: is nested too deeply"],
    [sample, { versions: ["v9"] }, 'has no version "v9"; it has only v1'],
    [withVersions({ schema: undefined }), {}, "version v1 has no schema"],
    [{ openapi: "3.0.0" }, { schema: true }, "schema requires a CustomResourceDefinition"],
    [{ openapi: "3.0.0" }, {}, "no object paths"],
  ])("is refused (%#)", (source, options, message) => {
    expect(() => kindFiles(source, options)).toThrow(message);
  });

  it("is shortened in messages", () => {
    const thrown = () => kindFiles(Array.from({ length: 10_000 }, () => 1n));
    expect(thrown).toThrow(/^not a CustomResourceDefinition: .{0,120}$/);
  });

  it("is refused if it is circular", () => {
    const endless: Record<string, unknown> = {};
    endless.kind = endless;
    expect(() => kindFiles(endless)).toThrow(
      "kind: a value that is nested too deeply to show: must be CustomResourceDefinition",
    );
  });

  it("may contain numbers of any size", () => {
    const bound = ofSpec({ type: "integer", maximum: 9223372036854775807n });
    expect(textOf(bound, { style: "typebox" })).toContain("Type.Integer({ maximum: 9223372036854776000 })");
  });

  it("cannot end the comment that names it", () => {
    const odd = { ...sample, metadata: { name: "a\nprocess.exit()" } };
    expect(textOf(odd).split("\n")[0]).toContain("from a?process.exit()");
  });
});
