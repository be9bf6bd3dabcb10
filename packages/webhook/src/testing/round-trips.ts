import {
  aggregateFieldErrors,
  apiVersionOf,
  applySchemaDefaults,
  isRecord,
  type KubeObject,
  keptDataAnnotation,
  pruneToSchema,
  stringifyJson,
  type VersionedKind,
  validateAgainstSchema,
} from "@kubewright/apimachinery";
import fc from "fast-check";
import { objectsOf, schemaOf } from "./arbitrary-of.ts";
import { differences } from "./differences.ts";

/** Options for {@link roundTrips}: which objects to use, and how many. */
export interface RoundTripOptions {
  /** Number of objects for each round trip. Default 100. */
  readonly runs?: number | undefined;
  /** Seed that reproduces the same objects. A failure reports its seed. Default: random. */
  readonly seed?: number | undefined;
  /** Selects objects of any version that satisfy constraints which the schemas do not contain, such as rules. Default: all. */
  readonly where?: ((object: KubeObject) => boolean) | undefined;
}

const maxDifferences = 10;

/**
 * Converts objects that match the schemas from the hub to each spoke and back, and from each spoke to the hub and back. After each
 * conversion, the object is pruned, defaulted and validated as in the API server.
 *
 * @throws {Error} if an object changes, cannot be converted, or does not match the target's schema. The message
 * contains the smallest object found and the changed paths.
 *
 * @see apimachinery pkg/api/apitesting/roundtrip, cluster-api util/conversion FuzzTests
 */
export function roundTrips(kind: VersionedKind, options: RoundTripOptions = {}): void {
  const [hub, ...spokes] = kind.versions;
  if (hub === undefined || spokes.length === 0)
    throw new Error(`roundTrips ${kind.kind}: ${hub} is the only version, so there is nothing to convert`);
  for (const spoke of spokes) {
    check(kind, hub, spoke, options);
    check(kind, spoke, hub, options);
  }
}

function check(kind: VersionedKind, from: string, to: string, { runs = 100, seed, where }: RoundTripOptions): void {
  const objects = where ? objectsOf(kind, from).filter(where) : objectsOf(kind, from);
  const property = fc.property(objects, (object) => {
    const there = arrived(kind, object, from, to);
    const back = arrived(kind, there, to, from);
    const changes = differences(comparable(object), comparable(back));
    if (changes.length > 0) throw new Changed(changes.slice(0, maxDifferences).map(sentence), changes.length);
  });
  const result = fc.check(property, { numRuns: runs, ...(seed === undefined ? {} : { seed }) });
  if (!result.failed) return;
  const { counterexample, errorInstance: cause } = result;
  const problem = cause instanceof Error ? cause.message : `fast-check found no objects: ${String(cause)}`;
  const smallest = counterexample ? `\nThe smallest object found:\n${stringifyJson(counterexample[0], 2)}` : "";
  throw new Error(
    `${kind.kind} ${from} → ${to} → ${from}: ${problem}${smallest}\nSeen after ${result.numRuns} objects; { seed: ${result.seed} } generates the same objects again.`,
    { cause },
  );
}

class Changed extends Error {
  override readonly name = "Changed";

  constructor(sentences: readonly string[], count: number) {
    const more = count > sentences.length ? `\n  and ${count - sentences.length} more` : "";
    super(`the object comes back changed:\n  ${sentences.join("\n  ")}${more}`);
  }
}

const textOf = (value: unknown): string => (value === undefined ? "absent" : stringifyJson(value));

const sentence = ({ path, before, after }: { path: string; before: unknown; after: unknown }): string =>
  `${path || "object"}: ${textOf(before)} became ${textOf(after)}`;

/** Returns the converted object as the API server accepts it in the other version. */
function arrived(kind: VersionedKind, object: KubeObject, from: string, to: string): KubeObject {
  const schema = schemaOf(kind, to);
  const { apiVersion, kind: name, metadata, ...body } = converted(kind, object, from, to);
  const pruned = pruneToSchema(body, schema);
  const whole = { apiVersion, kind: name, metadata, ...(isRecord(pruned) ? pruned : {}) };
  applySchemaDefaults(whole, schema);
  const errors = validateAgainstSchema(whole, schema);
  if (errors.length > 0)
    throw new Error(
      `the result of ${from} → ${to} does not match the schema of ${to}: ${aggregateFieldErrors(errors)}`,
    );
  return whole;
}

function converted(kind: VersionedKind, object: KubeObject, from: string, to: string): KubeObject {
  try {
    return kind.convert(object, apiVersionOf({ ...kind, version: to }));
  } catch (error) {
    const why = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    throw new Error(`${from} → ${to} fails: ${why}`, { cause: error });
  }
}

/** Returns the parts that must be preserved: everything except the annotation that `preserving` writes. */
function comparable(object: KubeObject): unknown {
  const { [keptDataAnnotation]: _kept, ...annotations } = object.metadata.annotations ?? {};
  const { annotations: _annotations, ...metadata } = object.metadata;
  const left = Object.keys(annotations).length > 0 ? { annotations } : {};
  return { ...object, metadata: { ...metadata, ...left } };
}
