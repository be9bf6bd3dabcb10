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

/**
 * A version other than the hub, with its conversions. They perform the same checks as {@link VersionedKind.convert}.
 */
export interface SpokeVersion {
  readonly kind: DefinedKind;
  toHub(object: KubeObject): KubeObject;
  fromHub(object: KubeObject): KubeObject;
}

/**
 * A kind that is served in several versions. Used like any other kind, it represents the hub version, so clients and
 * controllers use objects in that version.
 */
export interface VersionedKind<T extends KubeObject = KubeObject> extends DefinedKind<T> {
  /**
   * CustomResourceDefinition that contains all versions. The hub is the stored version. If spokes have conversion functions, the CRD
   * contains a placeholder for the webhook address, so the API server rejects all requests that need a conversion until
   * {@link withConversionWebhook} sets the address.
   */
  readonly crd: CustomResourceDefinitionManifest;
  /** Names of all versions, starting with the hub. */
  readonly versions: readonly string[];
  /** The stored version, as a kind of one version. */
  readonly hub: DefinedKind<T>;
  /** Versions other than the hub. */
  readonly spokes: readonly SpokeVersion[];
  /**
   * Warnings, one sentence each, about settings that are allowed but rarely intended, such as a deprecated hub with a spoke that is not
   * deprecated.
   */
  readonly warnings: readonly string[];
  /**
   * Converts an object to another version. The object itself is not modified. Conversions between two spokes go through the hub. Errors
   * from `toHub` and `fromHub` are not caught.
   *
   * @param desired one of the versions, or its `apiVersion`; in the latter case, the result has the type {@link KubeObject}
   * @throws {ConversionError} if the object or the version is not of this kind, if the object already has the version,
   *   or if a conversion function returned something other than an object, or an object with a different name or kind
   */
  convert<S extends KubeObject>(object: KubeObject, desired: DefinedKind<S>): S;
  convert(object: KubeObject, desired: string): KubeObject;
}

/**
 * Declares a kind in several versions. The hub is the stored version, and all others are converted to and from it: `versions(SiteV1,
 * { spokes: [spoke(SiteV1Beta1, { toHub, fromHub })] })`.
 *
 * @throws {Error} if the kinds are not versions of one kind. The message lists each field, its value and what is expected.
 */
export function versions<H extends KubeObject>(
  hub: DefinedKind<H>,
  { spokes = [] }: { readonly spokes?: readonly Spoke<NoInfer<H>>[] | undefined } = {},
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
    warnings.push(`the hub ${hub.name} is deprecated, but ${better.join(", ")} is not; use that version as the hub`);
  if (hub && !hub.served)
    warnings.push(
      `the hub ${hub.name} is not served, so controllers that watch it fail because the version does not exist`,
    );
  return warnings;
}
