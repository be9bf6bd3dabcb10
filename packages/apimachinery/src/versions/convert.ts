import { apiVersionOf, type GroupVersionKind, gvkKey } from "../object/kind.ts";
import type { KubeObject } from "../object/object.ts";
import type { StructuralSchema } from "../schema/structural-schema.ts";
import { isRecord, jsonEqual } from "../value/json-value.ts";
import { ConversionError } from "./conversion-error.ts";
import { bodyOf, conversionOf, conversionStep } from "./conversion-step.ts";
import { checkMerged, defaulted, readKeptData, takeKeptData, withKeptData } from "./kept-data.ts";
import type { SpokeConversion } from "./spoke.ts";
import { mergeThreeWay } from "./three-way.ts";

/** Conversions between the versions of a kind. */
export interface Conversions<H extends KubeObject> {
  readonly hub: GroupVersionKind;
  readonly hubSchema: StructuralSchema;
  /** Conversions, keyed by version. `undefined` for a version that has the same fields as the hub. */
  readonly spokes: ReadonlyMap<string, SpokeConversion<KubeObject, H> | undefined>;
}

/**
 * Converts an object to another version of its kind. Conversions between two spokes go through the hub.
 *
 * @throws {ConversionError} if the object or the version is not of this kind, if the object already has the version, or if a conversion
 *   function returns an invalid result
 * @see controller-runtime pkg/webhook/conversion convertObject
 */
export function convertObject<H extends KubeObject>(
  object: KubeObject,
  desiredApiVersion: string,
  conversions: Conversions<H>,
): KubeObject {
  const { hub, spokes } = conversions;
  const what = `converting to ${desiredApiVersion}`;
  if (!isRecord(object) || !isRecord(object.metadata))
    throw new ConversionError(what, "object", object ?? null, `must be a ${hub.kind} with metadata`);
  if (object.kind !== hub.kind) throw new ConversionError(what, "kind", object.kind, `must be ${hub.kind}`);
  const from = versionOf(object.apiVersion, "apiVersion", conversions, what);
  const to = versionOf(desiredApiVersion, "desiredAPIVersion", conversions, what);
  if (from === to)
    throw new ConversionError(what, "desiredAPIVersion", desiredApiVersion, "is already the object's version");
  const atHub = from === hub.version ? object : toHub(object, spokes.get(from), conversions);
  // Objects in the hub version have the type of the hub's kind.
  return to === hub.version ? atHub : fromHub(atHub as H, to, spokes.get(to), conversions);
}

function versionOf<H extends KubeObject>(
  apiVersion: unknown,
  field: string,
  { hub, spokes }: Conversions<H>,
  what: string,
): string {
  const names = [hub.version, ...spokes.keys()];
  const found = names.find((version) => apiVersionOf({ ...hub, version }) === apiVersion);
  if (found !== undefined) return found;
  const [group = "", version = ""] = String(apiVersion).split("/");
  const type = version === "" ? gvkKey({ ...hub, group: "", version: group }) : gvkKey({ ...hub, group, version });
  throw new ConversionError(
    what,
    field,
    apiVersion ?? null,
    `${type} is not convertible; the versions are ${names.map((name) => apiVersionOf({ ...hub, version: name })).join(", ")}`,
  );
}

function toHub<H extends KubeObject>(
  object: KubeObject,
  conversion: SpokeConversion<KubeObject, H> | undefined,
  { hub, hubSchema }: Conversions<H>,
): KubeObject {
  if (!conversion) return conversionStep(object, hub, (copy) => copy);
  if (!conversion.preserves) return conversionStep(object, hub, conversion.toHub);
  const { text, rest } = takeKeptData(object);
  const converted = conversionStep(rest, hub, conversion.toHub);
  const kept = text === undefined ? undefined : readKeptData(text, object, hub, hubSchema);
  if (kept === undefined) return converted;
  const before = { ...kept, apiVersion: converted.apiVersion, kind: converted.kind, metadata: converted.metadata };
  const held = heldBySpoke(before, object.apiVersion, conversion, hub);
  const [a, b, c] = [bodyOf(held), kept, bodyOf(converted)].map((body) => defaulted(body, hubSchema));
  const merged = mergeThreeWay({ held: a, kept: b, now: c }, hubSchema);
  if (!isRecord(merged)) throw new ConversionError(conversionOf(object, hub), "object", merged, "must be an object");
  checkMerged(merged, object, hub, hubSchema);
  return { apiVersion: converted.apiVersion, kind: converted.kind, metadata: converted.metadata, ...merged };
}

function fromHub<H extends KubeObject>(
  object: H,
  version: string,
  conversion: SpokeConversion<KubeObject, H> | undefined,
  { hub, hubSchema }: Conversions<H>,
): KubeObject {
  const target = { ...hub, version };
  if (!conversion) return conversionStep(object, target, (copy) => copy);
  if (!conversion.preserves) return conversionStep(object, target, conversion.fromHub);
  const { rest } = takeKeptData(object);
  const converted = conversionStep(rest, target, conversion.fromHub);
  const back = conversionStep(converted, hub, conversion.toHub);
  const isWhole = jsonEqual(defaulted(bodyOf(back), hubSchema), defaulted(bodyOf(rest), hubSchema));
  return isWhole ? converted : withKeptData(converted, bodyOf(rest), hub);
}

/** Returns the part of a hub object that remains after a conversion to the spoke and back. */
function heldBySpoke<H extends KubeObject>(
  object: KubeObject,
  apiVersion: string,
  { toHub, fromHub }: SpokeConversion<KubeObject, H>,
  hub: GroupVersionKind,
): KubeObject {
  const version = apiVersion.slice(apiVersion.indexOf("/") + 1);
  // The preserved data has been validated against the hub's schema.
  const atSpoke = conversionStep(object as H, { ...hub, version }, fromHub);
  return conversionStep(atSpoke, hub, toHub);
}
