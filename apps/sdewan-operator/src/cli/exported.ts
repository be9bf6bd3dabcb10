import type { DeepReadonly } from "@kubewright/apimachinery";
import type { Reader } from "@kubewright/client";
import type { Pod } from "@kubewright/client/kinds";
import { orderAnnotation, purposeLabel } from "../api/group.ts";
import { cnfViewOf } from "../cnf/cnf-view.ts";
import { type AttachedNetwork, attachedNetworks } from "../cnf/networks.ts";
import { ruleKinds } from "../kinds/rule-kinds.ts";
import type { CnfKind, RuleObject } from "../uci/cnf-kind.ts";
import { sameOnCnf } from "../uci/compare.ts";
import type { UciObject } from "../uci/uci-object.ts";
import { specOf } from "./spec-of.ts";

/**
 * The result of exporting an object from a CNF: a resource and the Secret for its keys, or the reason why no resource
 * can describe the object.
 */
export type Exported = { readonly resource: RuleObject; readonly secret?: string } | { readonly why: string };

export interface ExportOptions {
  readonly reader: Reader;
  /** The CNF pod that has the object. */
  readonly pod: DeepReadonly<Pod>;
  readonly purpose: string;
  /** Position of the object among the CNF's objects: negative before the first object that belongs to a resource, positive after it. */
  readonly place: number;
}

/**
 * Returns a resource that exactly describes an object on a CNF. Verifies that converting the resource yields the same
 * object. The resource contains no keys; it refers to a Secret instead.
 */
export async function exported(path: string, object: UciObject, options: ExportOptions): Promise<Exported> {
  const { pod, purpose, reader, place } = options;
  const kinds: readonly CnfKind[] = ruleKinds.filter((kind) => kind.path === path);
  const { namespace = "" } = pod.metadata;
  let why = "no kind of resource can describe it";
  for (const kind of kinds) {
    const name = nameFor(kind, object.name);
    if (name === undefined) return { why: "no resource name corresponds to this name" };
    const resource: RuleObject = {
      apiVersion: `${kind.kind.group}/${kind.kind.version}`,
      kind: kind.kind.kind,
      metadata: { name, namespace, labels: { [purposeLabel]: purpose }, ...annotationsFor(kind, object, place) },
      spec: specOf(kind, object, networksOf(pod)),
    };
    const rebuilt = await toUciOrUndefined(kind, resource, { reader, pod });
    if (rebuilt && sameOnCnf(kind, rebuilt, object, undefined) && covers(kind, rebuilt, object))
      return withoutKeys(kind, resource);
    if (rebuilt) why = "it has values that no resource can describe, or that the CNF does not return";
  }
  return { why };
}

/** Distance between the orders of exported resources, so that others can be put between them. */
const orderStep = 10;

function annotationsFor(kind: CnfKind, object: UciObject, place: number): { annotations?: Record<string, string> } {
  const precedence = kind.hasPosition(object) ? kind.positions?.precedence : kind.precedence;
  if (!precedence) return {};
  const order = (precedence === "first" ? place : -place) * orderStep;
  return { annotations: { [orderAnnotation]: String(order) } };
}

async function toUciOrUndefined(
  kind: CnfKind,
  resource: DeepReadonly<RuleObject>,
  { reader, pod }: Pick<ExportOptions, "reader" | "pod">,
): Promise<UciObject | undefined> {
  try {
    return await kind.toUci(resource, cnfViewOf(reader, pod));
  } catch {
    return undefined; // the object is not of this kind
  }
}

/** Values that CNFs add to objects on their own. */
const added: Readonly<Record<string, unknown>> = { enabled: "1" };

/**
 * Reports whether the conversion of a resource contains everything that the CNF returns, apart from values that the CNF adds on its own.
 */
function covers(kind: CnfKind, converted: UciObject, shown: UciObject): boolean {
  const relevant = Object.entries(shown).filter(
    ([field, value]) => field !== "name" && !field.startsWith(".") && value !== added[field],
  );
  return sameOnCnf(kind, Object.fromEntries(relevant), converted, undefined);
}

const isObjectName = (name: string): boolean =>
  name.length <= 253 && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(name);

function nameFor(kind: CnfKind, onCnf: unknown): string | undefined {
  if (typeof onCnf !== "string") return undefined;
  return [onCnf, onCnf.replaceAll("_", "-")].find((name) => isObjectName(name) && kind.nameOnCnf(name) === onCnf);
}

function withoutKeys({ secretFields }: CnfKind, resource: RuleObject): Exported {
  const spec: Record<string, unknown> = { ...resource.spec };
  const secret = `${resource.metadata.name}-keys`;
  const held = secretFields.filter(({ field }) => field in spec);
  for (const { field, ref } of held) {
    delete spec[field];
    spec[ref] = { name: secret, key: field };
  }
  return { resource: { ...resource, spec }, ...(held.length > 0 ? { secret } : {}) };
}

function networksOf({ metadata }: DeepReadonly<Pod>): readonly AttachedNetwork[] {
  try {
    return attachedNetworks(metadata.annotations);
  } catch {
    return []; // none of the attached networks has its interfaces
  }
}
