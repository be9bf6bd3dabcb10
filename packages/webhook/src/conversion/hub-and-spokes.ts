import {
  apiVersionOf,
  type CustomResourceDefinitionManifest,
  groupKindKey,
  type Kind,
  type KubeObject,
} from "@kubewright/apimachinery";

/** A version other than the hub, with the conversions to and from the hub. */
export interface HubSpoke {
  readonly kind: Kind;
  /** Converts an object to the hub. If `toHub` or `fromHub` throws, the error is reported to the API server. */
  toHub(object: KubeObject): unknown;
  fromHub(hub: KubeObject): unknown;
}

/** A kind with several versions: every version except the hub converts to the hub and back. */
export interface HubAndSpokes {
  readonly hub: Kind;
  readonly spokes: readonly HubSpoke[];
  /** The kind's CRD. The server checks that each of its versions has a converter, and adds the conversion webhook to the CRD. */
  readonly crd?: CustomResourceDefinitionManifest | undefined;
}

/** A kind with several versions and its own converter, as created by `versions`. */
export interface ConvertedKind extends Pick<Kind, "group" | "kind"> {
  readonly crd?: CustomResourceDefinitionManifest | undefined;
  /** Warnings about unusual but permitted settings, which are logged. */
  readonly warnings?: readonly string[] | undefined;
  /** Converts an object. If it throws, the error is reported to the API server. */
  convert(object: KubeObject, desiredApiVersion: string): unknown;
}

/** A conversion, in either form. */
export type Conversion = HubAndSpokes | ConvertedKind;

/**
 * Validates the versions.
 *
 * @throws {Error} if a spoke's kind differs from the hub's, a version has two spokes, or a version in the CRD has no spoke
 * @see controller-runtime pkg/webhook/conversion NewHubSpokeConverter
 */
export function checkHubAndSpokes({ hub, spokes, crd }: HubAndSpokes): void {
  const fail = (why: string): never => {
    throw new Error(`failed to create hub spoke converter for ${hub.kind}: ${why}`);
  };
  const versions = new Set<string>();
  for (const { kind } of spokes) {
    if (groupKindKey(kind) !== groupKindKey(hub))
      fail(`spoke converter GroupKind ${groupKindKey(kind)} does not match hub GroupKind ${groupKindKey(hub)}`);
    if (kind.version === hub.version) fail(`the hub's own version ${hub.version} needs no spoke converter`);
    if (versions.has(kind.version)) fail(`duplicate spoke converter for version ${kind.version}`);
    versions.add(kind.version);
  }
  if (!crd) return;
  const { group, names } = crd.spec;
  if (group !== hub.group || names.kind !== hub.kind)
    fail(`CRD ${crd.metadata.name} defines ${groupKindKey({ group, kind: names.kind })}`);
  const defined = crd.spec.versions.map(({ name }) => name);
  if (!defined.includes(hub.version)) fail(`the definition ${crd.metadata.name} has no version ${hub.version}`);
  const expected = sorted(defined.filter((name) => name !== hub.version));
  if (expected !== sorted([...versions]))
    fail(
      `expected spoke converter for ${expected || "none"} got spoke converter for ${sorted([...versions]) || "none"}`,
    );
}

const sorted = (names: readonly string[]): string => names.toSorted().join(",");

/** Returns a kind's spokes, keyed by `apiVersion`. */
export const spokesByVersion = ({ spokes }: HubAndSpokes): ReadonlyMap<string, HubSpoke> =>
  new Map(spokes.map((spoke) => [apiVersionOf(spoke.kind), spoke]));
