import {
  apiVersionOf,
  type CustomResourceDefinitionManifest,
  groupKindKey,
  type Kind,
  type KubeObject,
} from "@kubewright/apimachinery";

/** A version that is not the hub, and the way there and back. */
export interface SpokeVersion {
  readonly kind: Kind;
  /** What it throws is told to the API server, as with the way back. */
  toHub(object: KubeObject): unknown;
  fromHub(hub: KubeObject): unknown;
}

/** A kind of several versions: every one but the hub knows the way to the hub and back. */
export interface HubAndSpokes {
  readonly hub: Kind;
  readonly spokes: readonly SpokeVersion[];
  /** Its definition, which is checked for versions that nobody converts, and told where to ask. */
  readonly crd?: CustomResourceDefinitionManifest | undefined;
}

/** A kind of several versions that knows by itself how objects get from one to another; `versions` makes such. */
export interface ConvertedKind extends Pick<Kind, "group" | "kind"> {
  readonly crd?: CustomResourceDefinitionManifest | undefined;
  /** What is allowed and seldom meant; it is logged. */
  readonly warnings?: readonly string[] | undefined;
  /** What it throws is told to the API server. */
  convert(object: KubeObject, desiredApiVersion: string): unknown;
}

/** Either way to say how objects of a kind are converted. */
export type Conversion = HubAndSpokes | ConvertedKind;

/**
 * @throws {Error} if spokes are of another kind than the hub, there are two for a version, or the definition has versions without one
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
    fail(`the definition ${crd.metadata.name} is of ${groupKindKey({ group, kind: names.kind })}`);
  const defined = crd.spec.versions.map(({ name }) => name);
  if (!defined.includes(hub.version)) fail(`the definition ${crd.metadata.name} has no version ${hub.version}`);
  const expected = sorted(defined.filter((name) => name !== hub.version));
  if (expected !== sorted([...versions]))
    fail(
      `expected spoke converter for ${expected || "none"} got spoke converter for ${sorted([...versions]) || "none"}`,
    );
}

const sorted = (names: readonly string[]): string => names.toSorted().join(",");

/** The spokes of a kind by `apiVersion`. */
export const spokesByVersion = ({ spokes }: HubAndSpokes): ReadonlyMap<string, SpokeVersion> =>
  new Map(spokes.map((spoke) => [apiVersionOf(spoke.kind), spoke]));
