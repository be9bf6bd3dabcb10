import { readdirSync, readFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { group } from "../api/group.ts";
import { apiKinds } from "../kinds/api-kinds.ts";
import { ruleKinds } from "../kinds/rule-kinds.ts";

const folder = (name: string): URL => new URL(`../../${name}/`, import.meta.url);

interface Described {
  type?: string;
  description?: string;
  format?: string;
  required?: string[];
  properties?: Record<string, Described>;
  items?: Described;
  additionalProperties?: Described;
}

interface Manifest {
  spec: {
    names: unknown;
    scope: string;
    versions: { name: string; subresources: unknown; schema: { openAPIV3Schema: Described } }[];
  };
}

/** Fields that the reference does not have: references to Secrets, the CNF and order that a status refers to, and wrong orders. */
const beyond: ReadonlySet<string> = new Set([
  "preSharedKeySecretRef",
  "localPrivateCertSecretRef",
  "appliedPurpose",
  "appliedOrder",
  "outOfOrder",
]);
const ofReference = ([name]: readonly [string, unknown]): boolean => !beyond.has(name);

/** Returns the names, types and requirements of a schema, which must match the reference. */
function shape({ type, format, required, properties, items, additionalProperties }: Described): unknown {
  return {
    type,
    format,
    required: required?.toSorted(),
    properties:
      properties &&
      Object.fromEntries(
        Object.entries(properties)
          .filter(ofReference)
          .map(([name, inner]) => [name, shape(inner)]),
      ),
    items: items && shape(items),
    additionalProperties: additionalProperties && shape(additionalProperties),
  };
}

/** Removes the fields that the reference does not have. They must exist. */
function takeConditions(schema: Described, file: string): void {
  const fields = schema.properties?.status?.properties ?? {};
  const isRule = ruleKinds.some(({ kind: { group, plural } }) => file === `${group}_${plural}.yaml`);
  for (const added of ["conditions", "observedGeneration", ...(isRule ? ["stages", "stageWait"] : [])]) {
    expect(fields, file).toHaveProperty(added);
    delete fields[added];
  }
}

/** Returns the paths of the fields of spec and status without a description. */
function silent({ description, properties = {}, items }: Described, path: string): string[] {
  const inner = Object.entries(properties).flatMap(([name, field]) => silent(field, `${path}.${name}`));
  const own = description === undefined ? [path] : [];
  return [...own, ...inner, ...(items ? silent({ description: "of the list", ...items }, `${path}[]`) : [])];
}

const bases = folder("config/crd/bases");
const definitions = readdirSync(bases).map((path) => ({ path, text: readFileSync(new URL(path, bases), "utf8") }));

describe("the CustomResourceDefinitions", () => {
  it("have the names, types and requirements of the reference's, and additionally conditions", async () => {
    const reference = folder("testdata/reference-crds");
    const files = await readdir(reference);
    expect(files).toHaveLength(19);
    for (const file of files) {
      const theirs: Manifest = parse(await readFile(new URL(file, reference), "utf8"));
      const ours: Manifest = parse(definitions.find(({ path }) => path === file)?.text ?? "");
      expect(ours.spec.names, file).toEqual(theirs.spec.names);
      expect(ours.spec.scope, file).toBe(theirs.spec.scope);
      const [served] = ours.spec.versions;
      const [original] = theirs.spec.versions;
      expect(served?.name, file).toBe(original?.name);
      expect(served?.subresources, file).toEqual(original?.subresources);
      const schema = served?.schema.openAPIV3Schema ?? {};
      takeConditions(schema, file);
      expect(shape(schema), file).toEqual(shape(original?.schema.openAPIV3Schema ?? {}));
    }
  });

  it.each(definitions)("describe every field: $path", ({ text }) => {
    const manifest: Manifest = parse(text);
    const { spec, status } = manifest.spec.versions[0]?.schema.openAPIV3Schema.properties ?? {};
    const described = { description: "the spec itself adds nothing to the kind" };
    const properties = { spec: { ...spec, ...described }, status: { ...status } };
    expect(silent({ ...described, properties }, "")).toEqual([]);
  });

  it("accept every sample", async () => {
    const sampled = new Set<string>();
    const samples = folder("samples");
    const files = (await readdir(samples, { recursive: true })).filter((name) => name.includes("/"));
    for (const file of files)
      for (const document of parseAllDocuments(await readFile(new URL(file, samples), "utf8"))) {
        const object = document.toJS();
        if (!object.apiVersion.startsWith(group)) continue;
        expect(() => apiKinds.find(({ kind }) => kind === object.kind)?.parse(object), file).not.toThrow();
        sampled.add(object.kind);
      }
    expect(sampled.size).toBe(20);
  });

  it("refuse a wrong value with a message that names the path, and accept an empty one", () => {
    const rule = apiKinds.find(({ kind }) => kind === "FirewallRule");
    const object = (spec: object) => ({ metadata: { name: "a", namespace: "default" }, spec });
    expect(() => rule?.parse(object({ proto: "tpc" }))).toThrow(/spec\.proto: Unsupported value: "tpc"/);
    expect(() => rule?.parse(object({ dest_port: "70000" }))).toThrow(/spec\.dest_port: Invalid value: "70000"/);
    expect(() => rule?.parse(object({ src_ip: "10.0.0.300" }))).toThrow(/spec\.src_ip/);
    const empty = { proto: "", dest_port: "", src_ip: " ", src_mac: "", target: "", family: "" };
    expect(() => rule?.parse(object(empty))).not.toThrow();
  });

  it.each(definitions)("have the same meaning for YAML 1.1 parsers such as kubectl's: $path", ({ path, text }) => {
    const { crd } = apiKinds.find((kind) => path.endsWith(`_${kind.crd.spec.names.plural}.yaml`)) ?? {};
    expect(parse(text, { version: "1.1" })).toEqual(JSON.parse(JSON.stringify(crd)));
    expect(text).not.toMatch(/^\s*- (?:y|n|yes|no|on|off)$/im);
  });
});
