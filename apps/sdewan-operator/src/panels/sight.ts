import type { DeepReadonly } from "@kubewright/apimachinery";
import type { Reader } from "@kubewright/client";
import type { Pod } from "@kubewright/client/kinds";
import type { Clock } from "@kubewright/clock";
import type { CnfScope } from "../cnf/cnf-scope.ts";
import type { CnfSession } from "../cnf/session.ts";
import type { CnfRecord } from "../metrics/cnf-ledger.ts";
import type { PodFailures } from "../rules/pod-failures.ts";
import type { TunnelLog } from "../tell/tunnel-log.ts";
import type { CnfKind, RuleObject } from "../uci/cnf-kind.ts";

/** What a running operator knows, for who shows it. Nothing of it asks a CNF. */
export interface OperatorSight {
  /** The operator's cache. */
  readonly reader: Reader;
  readonly clock: Pick<Clock, "now">;
  /** Which resources may be of a CNF. */
  readonly scope: CnfScope;
  /** The sessions there are, by the uid of their pod. */
  readonly sessions: () => ReadonlyMap<string, Pick<CnfSession, "inspect" | "stateOf">>;
  /** What is counted of a pod, by its uid. */
  readonly recordOf: (uid: string) => CnfRecord | undefined;
  readonly tunnels: Pick<TunnelLog, "find">;
  readonly failures: Pick<PodFailures, "of">;
  /** What nobody may read of a pod. Rejects where that is not known. */
  readonly secretsOfPod: (pod: DeepReadonly<Pod>) => Promise<readonly (string | undefined)[]>;
  /** What nobody may read of a resource. */
  readonly secretsOf: (kind: CnfKind, rule: DeepReadonly<RuleObject>) => readonly (string | undefined)[];
  /** Whether this process speaks with CNFs, and who does if it does not. */
  readonly leadership: () => { readonly leads: boolean; readonly leader: string };
}

/** Said above every panel of a process that knows nothing of the CNFs. */
export function noteOf({ leadership }: OperatorSight): { readonly note?: string } {
  const { leads, leader } = leadership();
  if (leads) return {};
  return { note: `This process does not lead, and so speaks with no CNF: ${leader || "nobody yet"} does.` };
}
