import { byKey } from "@kubewright/apimachinery";
import type { Reader } from "@kubewright/client";
import { Deployment } from "@kubewright/client/kinds";
import { CNFStatus } from "../src/api/cnf-status.ts";
import { purposeLabel } from "../src/api/group.ts";
import { ruleKinds } from "../src/kinds/rule-kinds.ts";
import { statusName } from "../src/status/status-object.ts";
import type { ObjectRow } from "./object-row.ts";
import { type CnfRow, isSettled, type Snapshot } from "./snapshot.ts";

/** Returns one line for each resource or pod that is not in sync. Empty once every resource is in sync and every CNF pod has its objects. */
export async function unsettled(reader: Reader, { objects, cnfs }: Snapshot): Promise<string[]> {
  const waiting = objects
    .filter((row) => !isSettled(row))
    .map(({ kind, namespace, name, state, message }) =>
      [`${kind} ${namespace}/${name}:`, state || "no status yet", message].filter(Boolean).join(" "),
    );
  const missing = objects.flatMap((row) =>
    cnfsFor(row, cnfs)
      .filter(({ config }) => !holds(config, row))
      .map(({ pod }) => `${row.kind} ${row.namespace}/${row.name}: not on ${pod} yet`),
  );
  const silent = cnfs
    .filter(({ config }) => Object.keys(config).length === 0)
    .map(({ namespace, pod }) => `CNF ${namespace}/${pod}: does not respond yet`);
  const hasStatus = objects.some(({ kind, name }) => kind === CNFStatus.kind && name === statusName);
  const missingStatus = hasStatus ? [] : [`CNFStatus ${statusName}: does not exist yet`];
  return [...waiting, ...missing, ...silent, ...missingStatus, ...(await unavailableCnfs(reader))];
}

/**
 * Returns the CNF pods with a resource's purpose. If any of them are in the resource's namespace, returns only
 * these.
 */
function cnfsFor(row: ObjectRow, cnfs: readonly CnfRow[]): readonly CnfRow[] {
  const all = cnfs.filter(({ purpose }) => purpose === row.purpose);
  const own = all.filter(({ namespace }) => namespace === row.namespace);
  return own.length > 0 ? own : all;
}

async function unavailableCnfs(reader: Reader): Promise<string[]> {
  const deployments = (await reader.list(Deployment)).toSorted(byKey);
  return deployments
    .filter(({ metadata }) => purposeLabel in (metadata.labels ?? {}))
    .filter(({ spec, status }) => (status?.availableReplicas ?? 0) !== (spec?.replicas ?? 1))
    .map(
      ({ metadata: { namespace, name }, spec, status }) =>
        `Deployment ${namespace}/${name}: ${status?.availableReplicas ?? 0} of ${spec?.replicas ?? 1} pods available`,
    );
}

function holds(config: Readonly<Record<string, unknown>>, { kind, name }: ObjectRow): boolean {
  const rule = ruleKinds.find((each) => each.kind.kind === kind);
  if (!rule) return true;
  const [list] = Object.values(config[rule.path] ?? {});
  return Array.isArray(list) && list.some((object) => object.name === rule.nameOnCnf(name));
}
