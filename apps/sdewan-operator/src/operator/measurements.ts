import type { DeepReadonly, DefinedKind, KubeObject } from "@kubewright/apimachinery";
import type { ResourceEventHandler } from "@kubewright/cache";
import { Deployment, type Pod } from "@kubewright/client/kinds";
import { untilAborted } from "@kubewright/clock";
import type { Manager, Runnable } from "@kubewright/manager";
import type { CnfApi } from "../cnf/cnf-api.ts";
import type { CnfScope } from "../cnf/cnf-scope.ts";
import type { SessionPool } from "../cnf/session/session-pool.ts";
import type { CompositeKind } from "../composites/composite-kind.ts";
import { compositeKinds } from "../composites/composite-kinds.ts";
import { ruleKinds } from "../kinds/rule-kinds.ts";
import { cnfMetrics } from "../metrics/cnf-metrics.ts";
import { type CnfRecord, CnfRecords } from "../metrics/cnf-records.ts";
import { meteredApi } from "../metrics/metered-api.ts";
import { ObjectStates } from "../metrics/object-states.ts";
import type { CnfKind } from "../uci/cnf-kind.ts";
import type { Definitions } from "./definitions.ts";

/** The operator's measurements of CNFs, served together with the manager's metrics. */
export class Measurements {
  readonly #manager: Manager;
  readonly #records = new CnfRecords();
  readonly #states: ObjectStates;

  constructor(manager: Manager, scope: CnfScope) {
    this.#manager = manager;
    this.#states = new ObjectStates(scope);
  }

  /** Wraps a pod's API so that its requests are counted. */
  metered(api: CnfApi, pod: DeepReadonly<Pod>): CnfApi {
    return meteredApi(api, this.#records.recordOf(pod), this.#manager.clock);
  }

  /** Returns the record of the pod with the given UID. */
  recordOf(uid: string): CnfRecord | undefined {
    return this.#records.find(uid);
  }

  drifted(uid: string, objects: number): void {
    this.#records.drifted(uid, objects);
  }

  /**
   * Starts counting objects. Call this where the controllers run, so that two replicas do not report everything twice. Counts objects of a
   * kind as soon as the cluster serves it.
   */
  begin(pool: SessionPool, definitions: Pick<Definitions, "served">): void {
    const { metrics, cache } = this.#manager;
    const states = this.#states;
    cnfMetrics(metrics, {
      records: () => this.#records.keep(new Set(pool.sessions.keys())),
      groups: () => states.groups(),
      tunnelsOf: (namespace, purpose) => states.tunnelsOf(namespace, purpose),
    });
    const counting: Runnable = {
      group: "leaderElection",
      run: async (signal) => {
        const kinds: readonly CnfKind[] = ruleKinds;
        const composites: readonly CompositeKind[] = compositeKinds;
        const registrations = [cache.getInformer(Deployment).addHandler(states.cnfHandler)];
        const count = async <T extends KubeObject>(
          kind: DefinedKind<T>,
          handler: ResourceEventHandler<T>,
        ): Promise<void> => {
          await definitions.served(kind);
          if (!signal.aborted) registrations.push(cache.getInformer(kind).addHandler(handler));
        };
        for (const { kind } of composites) void count(kind, states.compositesOf(kind.kind));
        for (const { kind } of kinds) void count(kind, states.handlerOf(kind.kind));
        await untilAborted(signal);
        await Promise.all(registrations.map((registration) => registration.remove()));
      },
    };
    this.#manager.add(counting);
  }
}
