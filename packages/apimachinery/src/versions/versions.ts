import type {
  CustomResourceDefinitionManifest,
  CustomResourceDefinitionVersion,
} from "../definition/custom-resource-definition.ts";
import type { DefinedKind } from "../definition/define-kind.ts";
import { aggregateFieldErrors } from "../error/field-error.ts";
import { apiVersionOf, gvkKey } from "../object/kind.ts";
import type { KubeObject } from "../object/object.ts";
import { ConversionError } from "./conversion-error.ts";
import { noConversionWebhook } from "./conversion-webhook.ts";
import { type Conversions, convertObject } from "./convert.ts";
import type { Spoke } from "./spoke.ts";
import { versionErrors } from "./version-errors.ts";

/** One of the versions beside the hub, and the way there and back as {@link VersionedKind.convert} goes it. */
export interface SpokeVersion {
  readonly kind: DefinedKind;
  toHub(object: KubeObject): KubeObject;
  fromHub(object: KubeObject): KubeObject;
}

/** A kind that is served in several versions. As a kind it is its hub: clients and controllers see the hub's objects. */
export interface VersionedKind<T extends KubeObject = KubeObject> extends DefinedKind<T> {
  /**
   * The CustomResourceDefinition with all versions; the hub is stored. If spokes have functions it names a webhook that is nowhere, until
   * {@link withConversionWebhook} says where: until then the API server refuses what needs converting.
   */
  readonly crd: CustomResourceDefinitionManifest;
  /** The names of all versions, the hub's first. */
  readonly versions: readonly string[];
  /** The version that is stored, by itself. */
  readonly hub: DefinedKind<T>;
  /** The others. */
  readonly spokes: readonly SpokeVersion[];
  /** What is allowed and seldom meant, such as a deprecated hub beside a spoke that is not. One sentence each. */
  readonly warnings: readonly string[];
  /**
   * Returns the object in another version: from spoke to spoke by way of the hub. The object is not changed. What `toHub` and `fromHub`
   * throw comes through.
   *
   * @param desired one of the versions, or its `apiVersion`, which leaves the type of the result open
   * @throws {ConversionError} if object or version is none of this kind's, if they are the same, or if what a function returned is not
   *   the object any more: another name, another kind, no object at all
   */
  convert<S extends KubeObject>(object: KubeObject, desired: DefinedKind<S>): S;
  convert(object: KubeObject, desired: string): KubeObject;
}

/**
 * One kind in several versions, of which the hub is stored, and is what the others are converted to and from:
 * `versions(SiteV1, { spokes: [spoke(SiteV1Beta1, { toHub, fromHub })] })`.
 *
 * @throws {Error} if the kinds are not versions of one: each field, its value and what is wanted
 */
export function versions<H extends KubeObject>(
  hub: DefinedKind<H>,
  { spokes = [] }: { readonly spokes?: readonly Spoke<NoInfer<H>>[] } = {},
): VersionedKind<H> {
  const errors = versionErrors(hub, spokes);
  if (errors.length > 0) throw new Error(`versions ${hub.kind}: ${aggregateFieldErrors(errors)}`);
  const ofHub = versionOf(hub);
  const conversions: Conversions<H> = {
    hub: { group: hub.group, version: hub.version, kind: hub.kind },
    hubSchema: ofHub.schema.openAPIV3Schema,
    spokes: new Map(spokes.map(({ kind, conversion }) => [kind.version, conversion])),
  };
  function convert<S extends KubeObject>(object: KubeObject, desired: DefinedKind<S>): S;
  function convert(object: KubeObject, desired: string): KubeObject;
  function convert(object: KubeObject, desired: DefinedKind | string): KubeObject {
    if (typeof desired === "string") return convertObject(object, desired, conversions);
    if (desired.kind !== hub.kind)
      throw new ConversionError(`converting to ${gvkKey(desired)}`, "kind", desired.kind, `must be ${hub.kind}`);
    return convertObject(object, apiVersionOf(desired), conversions);
  }
  const all = [ofHub, ...spokes.map(({ kind }) => ({ ...versionOf(kind), storage: false }))];
  return {
    ...hub,
    crd: crdOf(hub.crd, all, spokes),
    versions: all.map(({ name }) => name),
    hub,
    spokes: spokes.map(({ kind }) => ({
      kind,
      toHub: (object) => convert(object, apiVersionOf(hub)),
      fromHub: (object) => convert(object, apiVersionOf(kind)),
    })),
    warnings: warningsOf(all),
    convert,
  };
}

function versionOf({ crd, kind }: DefinedKind): CustomResourceDefinitionVersion {
  const [version] = crd.spec.versions;
  if (!version) throw new Error(`versions ${kind}: the definition of ${crd.metadata.name} has no version`);
  return version;
}

function crdOf<H extends KubeObject>(
  crd: CustomResourceDefinitionManifest,
  all: CustomResourceDefinitionVersion[],
  spokes: readonly Spoke<H>[],
): CustomResourceDefinitionManifest {
  if (spokes.length === 0) return crd;
  const conversion = spokes.some((each) => each.conversion)
    ? structuredClone(noConversionWebhook)
    : { strategy: "None" as const };
  return { ...crd, spec: { ...crd.spec, versions: all, conversion } };
}

function warningsOf([hub, ...spokes]: readonly CustomResourceDefinitionVersion[]): string[] {
  const better = spokes.filter((version) => version.served && !version.deprecated).map(({ name }) => name);
  const warnings: string[] = [];
  if (hub?.deprecated && better.length > 0)
    warnings.push(`the hub ${hub.name} is deprecated, and ${better.join(", ")} is not: make that the hub`);
  if (hub && !hub.served)
    warnings.push(`the hub ${hub.name} is not served: controllers that watch it are told that it does not exist`);
  return warnings;
}
