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

/** Which objects {@link roundTrips} tries, and how many. */
export interface RoundTripOptions {
  /** Objects for each way there and back. Default 100. */
  readonly runs?: number | undefined;
  /** Draws the same objects again; a failure names its seed. Default: others each time. */
  readonly seed?: number | undefined;
  /** Which objects are tried, of whatever version: for what the schemas do not say, such as rules. Default: all. */
  readonly where?: ((object: KubeObject) => boolean) | undefined;
}

const mostDifferences = 10;

/**
 * Has objects that fit the schemas converted from the hub to each spoke and back, and from each spoke to the hub and back, as the API
 * server does: pruned, defaulted and checked on arrival.
 *
 * @throws {Error} if one comes back changed, cannot be converted, or does not fit the schema where it arrives; with the smallest object
 *   found that shows it, and the paths that changed
 * @see controller-runtime's users: k8s.io/apimachinery/pkg/api/apitesting/roundtrip and cluster-api util/conversion FuzzTests
 */
export function roundTrips(kind: VersionedKind, options: RoundTripOptions = {}): void {
  const [hub, ...spokes] = kind.versions;
  if (hub === undefined || spokes.length === 0)
    throw new Error(`roundTrips ${kind.kind}: there is one version, ${hub}, and nothing to convert it to`);
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
    if (changes.length > 0) throw new Changed(changes.slice(0, mostDifferences).map(sentence), changes.length);
  });
  const result = fc.check(property, { numRuns: runs, ...(seed === undefined ? {} : { seed }) });
  if (!result.failed) return;
  const { counterexample, errorInstance: cause } = result;
  const problem = cause instanceof Error ? cause.message : `fast-check found no objects: ${String(cause)}`;
  const smallest = counterexample ? `\nThe smallest object found:\n${stringifyJson(counterexample[0], 2)}` : "";
  throw new Error(
    `${kind.kind} ${from} → ${to} → ${from}: ${problem}${smallest}\nSeen after ${result.numRuns} objects; { seed: ${result.seed} } draws them again.`,
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

const said = (value: unknown): string => (value === undefined ? "absent" : stringifyJson(value));

const sentence = ({ path, before, after }: { path: string; before: unknown; after: unknown }): string =>
  `${path || "object"}: ${said(before)} became ${said(after)}`;

/** The object converted, as the API server takes it in the other version. */
function arrived(kind: VersionedKind, object: KubeObject, from: string, to: string): KubeObject {
  const schema = schemaOf(kind, to);
  const { apiVersion, kind: name, metadata, ...body } = converted(kind, object, from, to);
  const pruned = pruneToSchema(body, schema);
  const whole = { apiVersion, kind: name, metadata, ...(isRecord(pruned) ? pruned : {}) };
  applySchemaDefaults(whole, schema);
  const errors = validateAgainstSchema(whole, schema);
  if (errors.length > 0)
    throw new Error(`what ${from} → ${to} makes does not fit the schema of ${to}: ${aggregateFieldErrors(errors)}`);
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

/** What has to come back: all but the annotation that `preserving` puts where it is of use. */
function comparable(object: KubeObject): unknown {
  const { [keptDataAnnotation]: _kept, ...annotations } = object.metadata.annotations ?? {};
  const { annotations: _annotations, ...metadata } = object.metadata;
  const left = Object.keys(annotations).length > 0 ? { annotations } : {};
  return { ...object, metadata: { ...metadata, ...left } };
}
