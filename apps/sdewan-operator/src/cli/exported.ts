import type { DeepReadonly } from "@kubewright/apimachinery";
import type { Reader } from "@kubewright/client";
import type { Pod } from "@kubewright/client/kinds";
import { purposeLabel } from "../api/group.ts";
import { cnfViewOf } from "../cnf/cnf-view.ts";
import { type AttachedNetwork, attachedNetworks } from "../cnf/networks.ts";
import { ruleKinds } from "../kinds/rule-kinds.ts";
import type { CnfKind, RuleObject } from "../uci/cnf-kind.ts";
import { sameOnCnf } from "../uci/compare.ts";
import type { UciObject } from "../uci/uci-object.ts";
import { specOf } from "./spec-of.ts";

/** A resource for an object of a CNF, and the Secret that its keys have to be put into; or why there can be none. */
export type Exported = { readonly resource: RuleObject; readonly secret?: string } | { readonly why: string };

export interface ExportOptions {
  readonly reader: Reader;
  /** The pod of the CNF that holds the object. */
  readonly pod: DeepReadonly<Pod>;
  readonly purpose: string;
}

/**
 * The resource that would have a CNF hold just what it holds: it is given only if its conversion comes to that again. Keys are not in
 * it; it refers to a Secret for them.
 */
export async function exported(path: string, object: UciObject, options: ExportOptions): Promise<Exported> {
  const { pod, purpose, reader } = options;
  const kinds: readonly CnfKind[] = ruleKinds.filter((kind) => kind.path === path);
  const { namespace = "" } = pod.metadata;
  let why = "no kind can say it";
  for (const kind of kinds) {
    const name = nameFor(kind, object.name);
    if (name === undefined) return { why: "no resource comes to this name" };
    const resource: RuleObject = {
      apiVersion: `${kind.kind.group}/${kind.kind.version}`,
      kind: kind.kind.kind,
      metadata: { name, namespace, labels: { [purposeLabel]: purpose } },
      spec: specOf(kind, object, networksOf(pod)),
    };
    const again = await comesTo(kind, resource, { reader, pod });
    if (again && sameOnCnf(kind, again, object, undefined) && covers(kind, again, object))
      return withoutKeys(kind, resource);
    if (again) why = "it has what no resource can say, or what the CNF does not show";
  }
  return { why };
}

async function comesTo(
  kind: CnfKind,
  resource: DeepReadonly<RuleObject>,
  { reader, pod }: Omit<ExportOptions, "purpose">,
): Promise<UciObject | undefined> {
  try {
    return await kind.toUci(resource, cnfViewOf(reader, pod));
  } catch {
    return undefined; // it is none of this kind
  }
}

/** What CNFs add by themselves to what they are sent. */
const added: Readonly<Record<string, unknown>> = { enabled: "1" };

/** Whether all that the CNF shows is in what a resource comes to; what the CNF adds by itself is not about it. */
function covers(kind: CnfKind, made: UciObject, shown: UciObject): boolean {
  const told = Object.entries(shown).filter(
    ([field, value]) => field !== "name" && !field.startsWith(".") && value !== added[field],
  );
  return sameOnCnf(kind, Object.fromEntries(told), made, undefined);
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
    return []; // then nothing on it is named by a network
  }
}
