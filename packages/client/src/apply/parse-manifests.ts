import { isRecord, type Unstructured } from "@kubewright/apimachinery";
import { readDocument } from "./yaml-document.ts";

/** An object from a manifest. */
export interface Manifest {
  readonly object: Unstructured;
  /** Source of the object, such as `config/site.yaml, document 2`. */
  readonly source: string;
}

/** A source, or a document in it, that cannot be parsed as an object. */
export interface UnreadableManifest {
  readonly source: string;
  readonly error: Error;
}

/** The objects read from manifests, and the documents that could not be read. */
export interface Manifests {
  readonly manifests: readonly Manifest[];
  readonly unreadable: readonly UnreadableManifest[];
}

/**
 * Returns an object's name in messages, such as `deployment.apps/web`, or `deployment.apps/web in shop` if it has a
 * namespace.
 */
export function nameOf({ apiVersion, kind, metadata }: Pick<Unstructured, "apiVersion" | "kind" | "metadata">): string {
  const [group] = apiVersion.includes("/") ? apiVersion.split("/") : [];
  const type = group === undefined ? kind.toLowerCase() : `${kind.toLowerCase()}.${group}`;
  return `${type}/${metadata.name}${metadata.namespace ? ` in ${metadata.namespace}` : ""}`;
}

/** Maximum size of a file in bytes. */
export const maxTextBytes = 32 * 1024 * 1024;
/** Maximum number of objects in one run. */
const maxObjects = 10_000;

/**
 * Parses objects from YAML or JSON text. Documents are separated by `---` lines, and lists are split into their items. If a document cannot
 * be read, the others are still read.
 *
 * @param source name of the text in messages: a path, a URL or `standard input`
 * @see cli-runtime pkg/resource StreamVisitor, FlattenListVisitor
 */
export function parseManifests(text: string, source: string): Manifests {
  const manifests: Manifest[] = [];
  const unreadable: UnreadableManifest[] = [];
  if (Buffer.byteLength(text) > maxTextBytes)
    return { manifests, unreadable: [{ source, error: new Error(`is larger than ${maxTextBytes} bytes; split it`) }] };
  const documents = text.replace(/^\uFEFF/, "").split(/^---(?=[\s#]|$).*$/m);
  let number = 0;
  for (const document of documents) {
    if (!hasContent(document)) continue;
    number++;
    const place = documents.length === 1 ? source : `${source}, document ${number}`;
    try {
      const value = readDocument(document);
      if (value !== undefined) manifests.push(...objectsIn(value, place));
    } catch (error) {
      unreadable.push({ source: place, error: error instanceof Error ? error : new Error(String(error)) });
    }
    if (manifests.length + unreadable.length > maxObjects)
      return {
        manifests: [],
        unreadable: [{ source, error: new Error(`contains more than ${maxObjects} objects; split it`) }],
      };
  }
  return { manifests, unreadable };
}

const hasContent = (document: string): boolean => document.split("\n").some((line) => /^\s*[^#\s]/.test(line));

function objectsIn(value: unknown, source: string): Manifest[] {
  if (isRecord(value) && typeof value.kind === "string" && value.kind.endsWith("List") && Array.isArray(value.items))
    return value.items.flatMap((item, i) => objectsIn(item, `${source}, item ${i + 1}`));
  return [{ object: checked(value), source }];
}

function checked(value: unknown): Unstructured {
  if (!isRecord(value)) throw new Error("is not a Kubernetes object; it needs apiVersion, kind and metadata.name");
  const { apiVersion, kind, metadata } = value;
  for (const [field, found] of Object.entries({ apiVersion, kind }))
    if (typeof found !== "string" || found === "")
      throw new Error(`${field}: ${shown(found)}; every object needs one, such as ${examples[field]}`);
  const { name, namespace, generateName } = isRecord(metadata) ? metadata : {};
  if (typeof name !== "string" || name === "")
    throw new Error(
      generateName === undefined
        ? `metadata.name: ${shown(name)}; every object needs one`
        : "metadata.generateName: set metadata.name to apply the object, because a generated name is different each time",
    );
  if (namespace !== undefined && typeof namespace !== "string")
    throw new Error(`metadata.namespace: ${shown(namespace)} is not a string`);
  return value as Unstructured;
}

const examples: Readonly<Record<string, string>> = { apiVersion: "apps/v1", kind: "Deployment" };

const shown = (value: unknown): string =>
  value === undefined ? "is missing" : (JSON.stringify(value) ?? "?").slice(0, 80);
