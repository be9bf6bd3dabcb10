import { type DeepReadonly, isRecord, type Unstructured } from "@kubewright/apimachinery";
import { memberSchema, type TypeSchema } from "@kubewright/codec/schema";
import { atomOf, itemSchema } from "./atom.ts";

/** Minimum number of bytes that a field takes in addition to its name: `"":0` in the object, and `"f:":{}` in the managed fields. */
const memberBytes = 4;
const fieldBytes = 7;
/** Metadata fields to which clients can add any number of entries. */
const countedMetadata = ["labels", "annotations"] as const;

/**
 * Returns a lower bound, in bytes, for the size of an object's JSON after a write, including the writer's managed
 * fields. This takes only a fraction of the time needed to compute the managed fields. Values are not counted, because
 * a server may shorten them, and neither are fields that a server may omit.
 *
 * @param ignored members of the object that the endpoint does not write
 * @param live the object before an update. Its fields are not counted as the writer's, because other managers may own
 * them
 */
export function leastBytes(
  object: Unstructured,
  schema: TypeSchema,
  ignored: readonly string[],
  live?: DeepReadonly<Unstructured>,
): number {
  const { metadata, ...rest } = object;
  const counted: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(rest)) if (!ignored.includes(name)) counted[name] = member;
  const metadataSchema = memberSchema(schema, "metadata");
  let bytes = bytesOf(counted, schema, true, live);
  for (const name of countedMetadata) {
    const below = metadataSchema && memberSchema(metadataSchema, name);
    if (below) bytes += bytesOf(metadata[name], below, true, live?.metadata[name]);
  }
  return bytes;
}

function bytesOf(value: unknown, schema: TypeSchema, isOwned: boolean, live: unknown): number {
  if (typeof value !== "object" || value === null) return value ? 1 : 0;
  const atom = atomOf(schema, value);
  if (atom.type === "scalar") return 0;
  const areOwned = isOwned && !atom.atomic;
  const before = isRecord(live) ? live : {};
  let bytes = 0;
  if (Array.isArray(value)) {
    const below = itemSchema(atom.schema);
    for (const item of value)
      if (typeof item === "object") bytes += bytesOf(item, below, areOwned && live === undefined, undefined);
    return bytes;
  }
  if (!isRecord(value)) return 0;
  const declared = atom.schema.type === "object" ? atom.schema.fields : undefined;
  for (const name in value) {
    const below = memberSchema(atom.schema, name);
    if (!below) continue;
    const inner = bytesOf(value[name], below, areOwned, before[name]);
    if (inner === 0 && (value[name] === null || declared?.has(name))) continue;
    bytes += inner + name.length + memberBytes;
    if (areOwned && before[name] === undefined) bytes += name.length + fieldBytes;
  }
  return bytes;
}
