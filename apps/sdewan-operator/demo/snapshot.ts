import { byKey, type DeepReadonly } from "@kubewright/apimachinery";
import type { Reader } from "@kubewright/client";
import type { Pod } from "@kubewright/client/kinds";
import { CNFStatus } from "../src/api/cnf-status.ts";
import { CniInterface } from "../src/api/cni-interface.ts";
import { purposeLabel } from "../src/api/group.ts";
import { State } from "../src/api/status.ts";
import { cnfPods } from "../src/cnf/cnf-pods.ts";
import type { SessionPool } from "../src/cnf/session/session-pool.ts";
import { ruleKinds } from "../src/kinds/rule-kinds.ts";
import type { CnfKind } from "../src/uci/cnf-kind.ts";
import { compositeRows, statusRows } from "./composite-rows.ts";
import { identityOf, type ObjectRow } from "./object-row.ts";

/** CNF pod with its objects: each collection of its REST API as returned by GET. */
export interface CnfRow {
  readonly pod: string;
  readonly namespace: string;
  readonly purpose: string;
  readonly ip: string;
  readonly config: Readonly<Record<string, unknown>>;
}

/** The operator's resources and the objects on each CNF, at one moment. */
export interface Snapshot {
  readonly objects: readonly ObjectRow[];
  readonly cnfs: readonly CnfRow[];
}

const unavailable = "Not Available";

export function isSettled({ kind, state }: ObjectRow): boolean {
  if (kind === CniInterface.kind) return state !== "" && state !== unavailable;
  return state === State.inSync || (kind === CNFStatus.kind && state === State.idle);
}

/** Returns every custom resource of the operator. */
export async function objectRows(reader: Reader): Promise<ObjectRow[]> {
  const rules = await Promise.all(
    ruleKinds.map(async (kind: CnfKind) =>
      (await reader.list(kind.kind)).toSorted(byKey).map((object) => ({
        ...identityOf(kind.kind.kind, object),
        state: object.status?.state ?? "",
        message: object.status?.message ?? "",
      })),
    ),
  );
  const interfaces = (await reader.list(CniInterface)).toSorted(byKey).map((object) => ({
    ...identityOf(CniInterface.kind, object),
    state: object.status?.status ?? "",
    message: object.status?.message ?? "",
  }));
  return [...rules.flat(), ...interfaces, ...(await compositeRows(reader)), ...(await statusRows(reader))];
}

/** Reads the objects of a CNF from the CNF itself. */
async function cnfRow(pool: SessionPool, pod: DeepReadonly<Pod>): Promise<CnfRow> {
  const { name, namespace = "", labels } = pod.metadata;
  const config = await configOf(pool, pod).catch(() => ({})); // a CNF that does not respond has no objects here
  return { pod: name, namespace, purpose: labels?.[purposeLabel] ?? "", ip: pod.status?.podIP ?? "", config };
}

export async function snapshot(reader: Reader, pool: SessionPool): Promise<Snapshot> {
  const pods = await cnfPods(reader);
  const [objects, cnfs] = await Promise.all([objectRows(reader), Promise.all(pods.map((pod) => cnfRow(pool, pod)))]);
  return { objects, cnfs };
}

async function configOf(pool: SessionPool, pod: DeepReadonly<Pod>): Promise<Record<string, unknown>> {
  const api = await pool.apiOf(pod);
  const config: Record<string, unknown> = {};
  for (const path of new Set(ruleKinds.map(({ path }) => path)))
    config[path] = { [path.slice(path.lastIndexOf("/") + 1)]: await api.collection(path).list() };
  return config;
}
