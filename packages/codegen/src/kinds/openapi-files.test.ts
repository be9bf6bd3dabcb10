import { describe, expect, it } from "vitest";
import { compile } from "../testing/compile.ts";
import { kindFiles } from "./kind-files.ts";

const type = (kind: string) => ({ group: "batch", version: "v1", kind });
const path = (kind: string) => ({ get: { "x-kubernetes-group-version-kind": type(kind) } });
const ref = (name: string) => ({ allOf: [{ $ref: `#/components/schemas/${name}` }], default: {} });
const document = {
  openapi: "3.0.0",
  paths: {
    "/apis/batch/v1/": { get: {} },
    "/apis/batch/v1/jobs": path("Job"),
    "/apis/batch/v1/namespaces/{namespace}/jobs": path("Job"),
    "/apis/batch/v1/namespaces/{namespace}/jobs/{name}": path("Job"),
    "/apis/batch/v1/namespaces/{namespace}/jobs/{name}/status": path("Job"),
    "/apis/batch/v1/queues/{name}": path("Queue"),
  },
  components: {
    schemas: {
      "io.k8s.api.batch.v1.Job": {
        type: "object",
        description: "Job runs once.",
        properties: {
          apiVersion: { type: "string" },
          kind: { type: "string" },
          metadata: ref("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"),
          spec: { ...ref("io.k8s.api.batch.v1.JobSpec"), description: "What is wanted." },
        },
        "x-kubernetes-group-version-kind": [type("Job")],
      },
      "io.k8s.api.batch.v1.JobSpec": {
        type: "object",
        required: ["template"],
        properties: {
          template: ref("io.k8s.api.batch.v1.JobTemplate"),
          after: { type: "array", items: ref("io.k8s.api.batch.v1.JobSpec") },
          limit: ref("io.k8s.apimachinery.pkg.api.resource.Quantity"),
          port: ref("io.k8s.apimachinery.pkg.util.intstr.IntOrString"),
          any: { type: "object" },
        },
      },
      "io.k8s.api.batch.v1.JobTemplate": {
        type: "object",
        description: "What is run.",
        properties: { metadata: ref("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta") },
      },
      "io.k8s.apimachinery.pkg.api.resource.Quantity": { oneOf: [{ type: "string" }, { type: "number" }] },
      "io.k8s.apimachinery.pkg.util.intstr.IntOrString": { oneOf: [{ type: "integer" }, { type: "string" }] },
      "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta": { type: "object", properties: { name: { type: "string" } } },
      "com.example.Queue": {
        type: "object",
        properties: { spec: { type: "object", properties: { size: { type: "integer", default: 1 } } } },
        "x-kubernetes-group-version-kind": [type("Queue")],
      },
    },
  },
};

describe("the kinds of a group's OpenAPI document", () => {
  it("become one file each, with references under their own names", () => {
    const files = kindFiles(document);
    expect(files.map((file) => file.path)).toEqual(["job.ts", "queue.ts"]);
    expect(files[0]?.text).toMatchSnapshot();
    expect(files[1]?.text).toContain('plural: "queues", scope: "Cluster"');
    expect(compile(Object.fromEntries(files.map((file) => [file.path, file.text])))).toBe("");
  }, 60_000);

  it("are refused if a reference has no target", () => {
    const { ...schemas } = document.components.schemas as Record<string, object>;
    delete schemas["io.k8s.api.batch.v1.JobTemplate"];
    const broken = { ...document, components: { schemas } };
    expect(() => kindFiles(broken)).toThrow(
      '$ref "#/components/schemas/io.k8s.api.batch.v1.JobTemplate" does not refer to a schema',
    );
  });

  const jobOf = (schema: object, others: object = {}) => {
    const own = { type: "object", "x-kubernetes-group-version-kind": [type("Job")] };
    return { ...document, components: { schemas: { Job: { ...own, ...schema }, ...others } } };
  };

  it.each([
    [{ properties: { a: null } }, "components.schemas[Job].properties[a]: null: must be a schema"],
    [{ description: {} }, "components.schemas[Job].description: must be a string"],
    [{ properties: { a: { $ref: 5 } } }, "components.schemas[Job].properties[a].$ref: must be a string"],
    [{ required: {} }, "components.schemas[Job].required: must be a list"],
  ])("are refused if a schema is not valid (%#)", (schema, message) => {
    expect(() => kindFiles(jobOf(schema))).toThrow(`the OpenAPI document: ${message}`);
  });

  it("are refused if schemas or references nest too deeply", () => {
    let deep: object = { type: "string" };
    for (let i = 0; i < 50_000; i++) deep = { type: "object", properties: { a: deep } };
    expect(() => kindFiles(jobOf({ properties: { deep } }))).toThrow(/^.{0,200}…: schemas must not exceed 200 levels$/);
    const next = (i: number) => ({ type: "object", properties: { a: { $ref: `#/components/schemas/S${i}` } } });
    const chain = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`S${i}`, next(i + 1)]));
    expect(() => kindFiles(jobOf(next(0), chain))).toThrow(
      /^\$ref "#\/components\/schemas\/S\d+" is nested in more than 100 other references/,
    );
  });

  it("document a field's default, unless it is empty", () => {
    const defaults = { a: {}, b: { x: 1 }, c: [], d: 0, e: "", f: null, g: false };
    const properties = Object.fromEntries(Object.entries(defaults).map(([name, value]) => [name, { default: value }]));
    const [file] = kindFiles(jobOf({ properties: { ...properties, h: { description: "Said.", default: 2 } } }));
    const printed = [...(file?.text ?? "").matchAll(/Default: (.*)\./g)].map(([, value]) => value);
    expect(printed).toEqual(['{"x":1}', "[]", "0", '""', "null", "false", "2"]);
    expect(file?.text).toContain("   * Said.\n   *\n   * Default: 2.\n");
  });

  it("do not shadow types that the text uses", () => {
    const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
    const others = { "x.Partial": { properties: { a: {} } }, "x.ObjectMeta": { properties: { a: {} } } };
    const [file] = kindFiles(jobOf({ properties: { meta: ref("x.ObjectMeta"), partial: ref("x.Partial") } }, others));
    expect(file?.text).toContain("meta?: Partial<ObjectMeta>;\n  partial?: PartialResource;");
  });
});
