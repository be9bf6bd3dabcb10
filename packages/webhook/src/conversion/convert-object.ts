import {
  apiVersionOf,
  type GroupVersionKind,
  groupKindKey,
  gvkKey,
  isRecord,
  type KubeObject,
  kindOf,
  ownMember,
  parseApiVersion,
  quote,
} from "@kubewright/apimachinery";
import { type Conversion, type ConvertedKind, type HubAndSpokes, spokesByVersion } from "./hub-and-spokes.ts";

/** Thrown for an object that cannot be converted to the requested version. */
class ConversionFailure extends Error {
  override readonly name = "ConversionFailure";
}

/** Converts an object to another version of its group and kind. */
type Converter = (object: KubeObject, desired: string) => Promise<KubeObject>;

/** Converters, keyed by kind. */
export class Converters {
  readonly #byKind = new Map<string, Converter>();

  /** Adds a kind's converter. @throws {Error} if the kind already has one */
  add(conversion: Conversion): void {
    const isWhole = "convert" in conversion;
    const key = groupKindKey(isWhole ? conversion : conversion.hub);
    if (this.#byKind.has(key)) throw new Error(`a conversion for ${key} already exists`);
    this.#byKind.set(key, isWhole ? byItself(conversion) : byHub(conversion));
  }

  /** Reports whether the object's kind has a converter. */
  knows(object: KubeObject): boolean {
    return this.#byKind.has(groupKindKey(kindOf(object)));
  }

  /**
   * Returns the object in the desired version.
   *
   * @throws {ConversionFailure} if there is no converter, or its result is a different object
   */
  async convert(value: unknown, desired: string): Promise<unknown> {
    const object = objectOf(value);
    const from = kindOf(object);
    const to = { ...desiredGroup(desired), kind: from.kind };
    if (from.group !== to.group)
      throw new ConversionFailure(`src ${gvkKey(from)} and dst ${gvkKey(to)} does not belong to same API Group`);
    if (object.apiVersion === desired)
      throw new ConversionFailure(`conversion is not allowed between same type ${gvkKey(from)}`);
    const converter = this.#byKind.get(groupKindKey(from));
    if (!converter) throw notConvertible(from, to, `no hub is defined for ${groupKindKey(from)}`);
    return converter(object, desired);
  }
}

const notConvertible = (from: GroupVersionKind, to: GroupVersionKind, why: string): ConversionFailure =>
  new ConversionFailure(`${gvkKey(from)} is not convertible to ${gvkKey(to)}: ${why}`);

/** Copies the object, because converters may modify their input. */
const snapshot = (object: KubeObject): KubeObject => ({ ...object, metadata: { ...object.metadata } });

function byItself(kind: ConvertedKind): Converter {
  return async (object, desired) => {
    const source = snapshot(object);
    return same(source, await kind.convert(object, desired), { apiVersion: desired, given: desired, by: "convert" });
  };
}

function byHub(versions: HubAndSpokes): Converter {
  const [hub, spokes] = [apiVersionOf(versions.hub), spokesByVersion(versions)];
  return async (object, desired) => {
    const from = kindOf(object);
    const to = { ...from, ...parseApiVersion(desired) };
    const [there, back] = [spokes.get(object.apiVersion), spokes.get(desired)];
    if (!there && object.apiVersion !== hub) throw notConvertible(from, to, `the version ${from.version} is unknown`);
    if (!back && desired !== hub) throw notConvertible(from, to, `the version ${to.version} is unknown`);
    const source = snapshot(object);
    const given = object.apiVersion;
    const asHub = there ? same(source, await there.toHub(object), { apiVersion: hub, given, by: "toHub" }) : object;
    if (!back) return asHub;
    return same(source, await back.fromHub(asHub), { apiVersion: desired, given: hub, by: "fromHub" });
  };
}

/** Returns the value as an object. @throws {ConversionFailure} if `apiVersion`, `kind` or `metadata` is missing */
export function objectOf(value: unknown): KubeObject {
  const [apiVersion, kind] = isRecord(value) ? [ownMember(value, "apiVersion"), ownMember(value, "kind")] : [];
  if (typeof apiVersion !== "string" || typeof kind !== "string" || apiVersion === "" || kind === "")
    throw new ConversionFailure("an object to be converted has no apiVersion or kind");
  if (!isRecord(value) || !isRecord(value.metadata))
    throw new ConversionFailure(`metadata: expected an object in ${apiVersion}, Kind=${kind}`);
  return value as unknown as KubeObject;
}

function desiredGroup(desired: string) {
  try {
    return parseApiVersion(desired);
  } catch (cause) {
    throw new ConversionFailure(`request.desiredAPIVersion: ${String(cause)}`, { cause });
  }
}

/** Fields that identify an object. The API server restores the other metadata. */
const identity = ["name", "namespace", "uid"] as const;

interface Step {
  /** Requested `apiVersion`. A converter may also keep the original `apiVersion`. */
  readonly apiVersion: string;
  readonly given: string;
  readonly by: "toHub" | "fromHub" | "convert";
}

/** Returns a converter's result. @throws {ConversionFailure} if the result is a different object */
function same(source: KubeObject, made: unknown, { apiVersion, given, by }: Step): KubeObject {
  const { name, namespace = "" } = source.metadata;
  const refuse = (field: string, why: string): never => {
    throw new ConversionFailure(`${by} of ${source.kind} ${quote(`${namespace}/${name}`)}: ${field}: ${why}`);
  };
  if (!isRecord(made))
    return refuse("the object", `expected one of ${apiVersion}, got ${made === null ? "null" : typeof made}`);
  const [ownVersion, kind] = [ownMember(made, "apiVersion"), ownMember(made, "kind")];
  if (kind !== undefined && kind !== source.kind)
    return refuse("kind", `must stay ${quote(source.kind)}, got ${quote(String(kind))}`);
  if (ownVersion !== undefined && ownVersion !== apiVersion && ownVersion !== given)
    return refuse("apiVersion", `must be ${quote(apiVersion)}, got ${quote(String(ownVersion))}`);
  const { metadata } = made;
  if (!isRecord(metadata)) return refuse("metadata", "must stay unchanged, except labels and annotations");
  for (const field of identity) {
    const [was, is] = [source.metadata[field], ownMember(metadata, field)];
    if (was !== is) refuse(`metadata.${field}`, `must stay ${quote(was ?? "")}, got ${quote(String(is ?? ""))}`);
  }
  const { labels, annotations } = metadata;
  const kept = { ...source.metadata, labels, annotations };
  return { ...made, apiVersion, kind: source.kind, metadata: kept } as KubeObject;
}
