import { judgeObjects } from "@kubewright/apiextensions";
import {
  type DefinedKind,
  definedBy,
  isStatusError,
  jsonEqual,
  type KubeObject,
  type StructuralSchema,
} from "@kubewright/apimachinery";
import type { Client } from "@kubewright/client";
import { kindFiles } from "../src/kinds/kind-files.ts";
import { crdText } from "../src/manifest/crd-text.ts";
import { type SampleObject, sampleObject } from "../src/manifest/sample-object.ts";
import type { Definition } from "../src/source/definition.ts";
import { runGenerated } from "../src/testing/run-generated.ts";
import { RandomValues, randomFrom } from "./random-objects.ts";

/** Returns the generated files of all definitions, keyed by unique names. */
export function generatedFiles(
  definitions: readonly Definition[],
  style: "interface" | "typebox",
): Record<string, string> {
  const files: Record<string, string> = {};
  for (const [i, definition] of definitions.entries())
    for (const { path, text } of kindFiles(definition, { style })) files[`${i}-${style}-${path}`] = text;
  return files;
}

/** How readable generated interfaces are. */
export interface Readability {
  readonly interfaces: number;
  /** Number of interfaces with different fields in each file, added up. */
  readonly shapes: number;
  readonly longestName: string;
  /** Number of interfaces in the file with the most interfaces. */
  readonly mostInFile: number;
}

/** Measures how readable generated interfaces are. */
export function readabilityOf(files: Readonly<Record<string, string>>): Readability {
  let [interfaces, shapes, longestName, mostInFile] = [0, 0, "", 0];
  for (const text of Object.values(files)) {
    const found = [...text.matchAll(/^export interface (\w+)[^{]*\{\n([\s\S]*?)^\}/gm)];
    interfaces += found.length;
    shapes += new Set(found.map(([, , body]) => body)).size;
    mostInFile = Math.max(mostInFile, found.length);
    for (const [, name = ""] of found) if (name.length > longestName.length) longestName = name;
  }
  return { interfaces, shapes, longestName, mostInFile };
}

/** Returns the versions of a definition that their `defineKind` does not reproduce. */
export function notReproduced(definition: Definition): string[] {
  return definition.spec.versions.flatMap((version) => {
    const [file] = kindFiles(definition, { style: "typebox", versions: [version.name] });
    const [kind] = Object.values(runGenerated(file?.text ?? "")) as DefinedKind[];
    const { served = true, ...rest } = version;
    const { storage: _, ...given } = kind?.crd.spec.versions[0] ?? { storage: true };
    const { storage: __, ...wanted } = { served, ...rest };
    return jsonEqual(given, JSON.parse(JSON.stringify(wanted))) ? [] : [`${definition.metadata.name} ${version.name}`];
  });
}

/** Returns the sample that `create api --external` writes. Also checks that the CRD itself can be written. */
export function sampleOfDefinition(definition: Definition): SampleObject {
  const kind = definedBy(definition);
  crdText(definition);
  return sampleObject(kind, judgeObjects(definition, kind.version));
}

/**
 * Returns a CRD with only one version, and without rules, subresources and conversion, so that `parse` and a server can be compared: `parse` does
 * not evaluate rules, and a server drops the status of new objects.
 */
export function comparable(definition: Definition): Definition {
  const { name, version } = { name: definition.metadata.name, version: definedBy(definition).version };
  const { annotations } = definition.metadata;
  const { conversion: _conversion, ...spec } = definition.spec;
  const versions = spec.versions
    .filter((one) => one.name === version)
    .map(({ schema }) => ({
      name: version,
      served: true,
      storage: true,
      schema: withoutRules(schema) as typeof schema,
    }));
  const { apiVersion, kind } = definition;
  return { apiVersion, kind, metadata: { name, ...(annotations ? { annotations } : {}) }, spec: { ...spec, versions } };
}

function withoutRules(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutRules);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).filter(([name]) => name !== "x-kubernetes-validations");
  return Object.fromEntries(members.map(([name, member]) => [name, withoutRules(member)]));
}

/** A difference between `parse` and a server. */
export interface Difference {
  readonly definition: string;
  readonly object: unknown;
  readonly parse: unknown;
  readonly server: unknown;
}

/** Results of {@link compareWithServer}. */
export interface Parity {
  readonly objects: number;
  /** Number of objects that the server accepted. */
  readonly accepted: number;
  readonly differences: readonly Difference[];
}

/** Passes random objects of a kind to `parse` and to a server, which must have the CRD, and compares the results. */
export async function compareWithServer(
  client: Client,
  definition: Definition,
  { objects, seed }: { readonly objects: number; readonly seed: number },
): Promise<Parity> {
  const kind = definedBy(definition);
  const { openAPIV3Schema: schema = {} } = definition.spec.versions[0]?.schema ?? {};
  const random = randomFrom(seed);
  const differences: Difference[] = [];
  let accepted = 0;
  for (let i = 0; i < objects; i++) {
    const object = randomObject(kind, schema, new RandomValues(random));
    const parse = parsed(kind, object);
    const server = await served(client, kind, object);
    if (!Array.isArray(server)) accepted++;
    if (!jsonEqual(parse, server)) differences.push({ definition: definition.metadata.name, object, parse, server });
  }
  return { objects, accepted, differences };
}

function randomObject(kind: DefinedKind, schema: StructuralSchema, values: RandomValues): KubeObject {
  const { metadata: _metadata, apiVersion: _apiVersion, kind: _kind, ...properties } = schema.properties ?? {};
  const required = schema.required?.filter((name) => Object.hasOwn(properties, name)) ?? [];
  const body = values.valueOf({ ...schema, type: "object", properties, required }, true);
  const metadata = kind.scope === "Namespaced" ? { name: "a", namespace: "default" } : { name: "a" };
  const object: unknown = {
    ...(body as object),
    apiVersion: `${kind.group}/${kind.version}`,
    kind: kind.kind,
    metadata,
  };
  return object as KubeObject;
}

/** Returns the fields of the object, or the errors as sorted texts. */
function parsed(kind: DefinedKind, object: KubeObject): unknown {
  try {
    return fieldsOf(kind.parse(object));
  } catch (error) {
    if (!isStatusError(error)) throw error;
    return causesOf(error.status);
  }
}

async function served(client: Client, kind: DefinedKind, object: KubeObject): Promise<unknown> {
  const place = kind.scope === "Namespaced" ? "/namespaces/default" : "";
  const path = `/apis/${kind.group}/${kind.version}${place}/${kind.plural}?dryRun=All&fieldValidation=Ignore`;
  const headers = { "content-type": "application/json" };
  const { status, body } = await client.connection.request({
    method: "POST",
    path,
    headers,
    body: Buffer.from(JSON.stringify(object)),
  });
  const answer: unknown = JSON.parse(body.toString("utf8"));
  return status < 300 ? fieldsOf(answer as KubeObject) : causesOf(answer);
}

const fieldsOf = ({ metadata: _metadata, ...fields }: KubeObject): unknown => JSON.parse(JSON.stringify(fields));

function causesOf(status: unknown): string[] {
  const { message, details } = status as {
    readonly message?: string;
    readonly details?: { readonly causes?: readonly { readonly field?: string; readonly message?: string }[] };
  };
  const causes = details?.causes?.map(({ field, message: text }) => `${field}: ${text}`);
  return (causes ?? [message ?? ""]).toSorted();
}
