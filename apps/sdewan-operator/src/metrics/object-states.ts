import { type DeepReadonly, keyOf } from "@kubewright/apimachinery";
import type { ResourceEventHandler } from "@kubewright/cache";
import type { Deployment } from "@kubewright/client/kinds";
import { purposeLabel } from "../api/group.ts";
import { State } from "../api/status.ts";
import type { CnfScope } from "../cnf/cnf-scope.ts";
import type { RuleObject } from "../uci/cnf-kind.ts";

/** Objects that are alike: how many, and how many tunnels they ask for. */
export interface ObjectGroup {
  readonly kind: string;
  /** Where they are; empty, as is the purpose, for those that are for no CNF. */
  readonly namespace: string;
  readonly purpose: string;
  readonly state: string;
  count: number;
  tunnels: number;
}

const states: ReadonlySet<unknown> = new Set(Object.values(State));
/** More series are not made of objects; what is over goes where objects without a CNF go. */
const mostGroups = 5_000;

/** Counts objects by kind, namespace, purpose and state, from what informers tell. */
export class ObjectStates {
  readonly #objects = new Map<string, Omit<ObjectGroup, "count">>();
  readonly #cnfs = new Map<string, { readonly namespace: string; readonly purpose: string }>();
  readonly #scope: CnfScope;

  constructor(scope: CnfScope) {
    this.#scope = scope;
  }

  /** For the informer of a rule kind. */
  handlerOf(kind: string): ResourceEventHandler<RuleObject> {
    const put = (object: DeepReadonly<RuleObject>): void => {
      const { namespace = "", labels } = object.metadata;
      const state = object.status?.state;
      this.#objects.set(`${kind} ${keyOf(object)}`, {
        kind,
        namespace,
        purpose: labels?.[purposeLabel] ?? "",
        state: states.has(state) ? String(state) : "None",
        tunnels: connectionsOf(object.spec),
      });
    };
    return {
      added: put,
      updated: (_, object) => put(object),
      deleted: (object) => void this.#objects.delete(`${kind} ${keyOf(object)}`),
    };
  }

  /** For the informer of Deployments: what purposes there are CNFs of. */
  get cnfHandler(): ResourceEventHandler<Deployment> {
    const put = ({ metadata }: DeepReadonly<Deployment>): void => {
      const purpose = metadata.labels?.[purposeLabel];
      if (purpose === undefined) this.#cnfs.delete(keyOf({ metadata }));
      else this.#cnfs.set(keyOf({ metadata }), { namespace: metadata.namespace ?? "", purpose });
    };
    return {
      added: put,
      updated: (_, object) => put(object),
      deleted: (object) => void this.#cnfs.delete(keyOf(object)),
    };
  }

  /** Series are bounded by the CNFs there are: whoever names a purpose that nobody has makes none of his own. */
  groups(): readonly ObjectGroup[] {
    const groups = new Map<string, ObjectGroup>();
    const purposes = Map.groupBy(this.#cnfs.values(), ({ purpose }) => purpose);
    for (const object of this.#objects.values()) {
      const hasCnf = (purposes.get(object.purpose) ?? []).some((cnf) =>
        this.#scope.allows(object.namespace, cnf.namespace),
      );
      const own = hasCnf ? object : { ...object, namespace: "", purpose: "" };
      const group = groups.get(idOf(own)) ?? (groups.size < mostGroups ? undefined : groups.get(idOf(nobodys(own))));
      const to = group ?? { ...(groups.size < mostGroups ? own : nobodys(own)), count: 0, tunnels: 0 };
      to.count++;
      to.tunnels += object.tunnels;
      groups.set(idOf(to), to);
    }
    return [...groups.values()];
  }

  /** How many tunnels are asked for by all that is for a CNF. */
  tunnelsOf(namespace: string, purpose: string): number {
    let sum = 0;
    for (const object of this.#objects.values())
      if (object.purpose === purpose && this.#scope.allows(object.namespace, namespace)) sum += object.tunnels;
    return sum;
  }
}

type Group = Pick<ObjectGroup, "kind" | "namespace" | "purpose" | "state">;

const nobodys = <T extends Group>(group: T): T => ({ ...group, namespace: "", purpose: "" });
const idOf = ({ kind, namespace, purpose, state }: Group): string => JSON.stringify([kind, namespace, purpose, state]);

function connectionsOf(spec: unknown): number {
  if (typeof spec !== "object" || spec === null || !("connections" in spec)) return 0;
  return Array.isArray(spec.connections) ? spec.connections.length : 0;
}
