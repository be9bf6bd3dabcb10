import { type DeepReadonly, type KubeObject, keyOf } from "@kubewright/apimachinery";
import type { ResourceEventHandler } from "@kubewright/cache";
import type { Deployment } from "@kubewright/client/kinds";
import { purposeLabel } from "../api/group.ts";
import { State } from "../api/status.ts";
import type { CnfScope } from "../cnf/cnf-scope.ts";
import type { CompositeObject } from "../composites/composite-kind.ts";
import { Reason } from "../reporting/conditions.ts";
import { connectionsIn, startedConnections } from "../reporting/ipsec-connections.ts";
import type { RuleObject } from "../uci/cnf-kind.ts";

/** The number of objects with the same labels, and of tunnels that they request. */
export interface ObjectGroup {
  readonly kind: string;
  /** Namespace of the objects. Empty, like the purpose, for objects without a CNF. */
  readonly namespace: string;
  readonly purpose: string;
  readonly state: string;
  count: number;
  /** Number of connections. `started` is the number of connections that must always be up. */
  tunnels: number;
  started: number;
}

const states: ReadonlySet<unknown> = new Set(Object.values(State));
/** Maximum number of series. Further objects are counted together with those without a CNF. */
const maxGroups = 5_000;

/** Counts objects by kind, namespace, purpose and state, from informer events. */
export class ObjectStates {
  readonly #objects = new Map<string, Omit<ObjectGroup, "count">>();
  readonly #cnfs = new Map<string, { readonly namespace: string; readonly purpose: string }>();
  readonly #scope: CnfScope;

  constructor(scope: CnfScope) {
    this.#scope = scope;
  }

  /** Returns the handler for a rule kind's informer. */
  handlerOf(kind: string): ResourceEventHandler<RuleObject> {
    return this.#handlerOf<RuleObject>(kind, ({ status }) => status?.state);
  }

  /**
   * Returns the handler for a composite kind's informer. Composites have conditions but no state, so their conditions are translated to
   * states.
   */
  compositesOf(kind: string): ResourceEventHandler<CompositeObject> {
    return this.#handlerOf<CompositeObject>(kind, stateOf);
  }

  #handlerOf<T extends KubeObject & { spec?: object }>(
    kind: string,
    stateIn: (object: DeepReadonly<T>) => string | undefined,
  ): ResourceEventHandler<T> {
    const put = (object: DeepReadonly<T>): void => {
      const { namespace = "", labels } = object.metadata;
      const state = stateIn(object);
      this.#objects.set(`${kind} ${keyOf(object)}`, {
        kind,
        namespace,
        purpose: labels?.[purposeLabel] ?? "",
        state: states.has(state) ? String(state) : "None",
        tunnels: connectionsIn(object.spec).length,
        started: startedConnections(object.spec).length,
      });
    };
    return {
      added: put,
      updated: (_, object) => put(object),
      deleted: (object) => void this.#objects.delete(`${kind} ${keyOf(object)}`),
    };
  }

  /** Handler for the Deployment informer, which determines which purposes exist. */
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

  /** Returns the groups. Unknown purposes get no series, so the number of series is limited by the number of CNFs. */
  groups(): readonly ObjectGroup[] {
    const groups = new Map<string, ObjectGroup>();
    const purposes = Map.groupBy(this.#cnfs.values(), ({ purpose }) => purpose);
    for (const object of this.#objects.values()) {
      const hasCnf = (purposes.get(object.purpose) ?? []).some((cnf) =>
        this.#scope.allows(object.namespace, cnf.namespace),
      );
      const own = hasCnf ? object : { ...object, namespace: "", purpose: "" };
      const group = groups.get(idOf(own)) ?? (groups.size < maxGroups ? undefined : groups.get(idOf(nobodys(own))));
      const to = group ?? { ...(groups.size < maxGroups ? own : nobodys(own)), count: 0, tunnels: 0, started: 0 };
      to.count++;
      to.tunnels += object.tunnels;
      to.started += object.started;
      groups.set(idOf(to), to);
    }
    return [...groups.values()];
  }

  /** Returns the tunnels requested by all resources for a CNF. */
  tunnelsOf(namespace: string, purpose: string): Pick<ObjectGroup, "tunnels" | "started"> {
    const sum = { tunnels: 0, started: 0 };
    for (const object of this.#objects.values())
      if (object.purpose === purpose && this.#scope.allows(object.namespace, namespace)) {
        sum.tunnels += object.tunnels;
        sum.started += object.started;
      }
    return sum;
  }
}

type Group = Pick<ObjectGroup, "kind" | "namespace" | "purpose" | "state">;

const nobodys = <T extends Group>(group: T): T => ({ ...group, namespace: "", purpose: "" });
const idOf = ({ kind, namespace, purpose, state }: Group): string => JSON.stringify([kind, namespace, purpose, state]);

function stateOf({ metadata, status }: DeepReadonly<CompositeObject>): State | undefined {
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  if (metadata.deletionTimestamp) return State.deleting;
  if (!ready) return undefined;
  if (ready.reason === Reason.noCnf) return State.idle;
  return ready.status === "True" && ready.observedGeneration === metadata.generation ? State.inSync : State.applying;
}
