import { ignoreAlreadyExists, ignoreNotFound } from "@kubewright/apimachinery";
import type { ReadWriter } from "@kubewright/client";
import { rfc3339 } from "@kubewright/clock";
import { CNFStatus, type CnfInformation } from "../api/cnf-status.ts";
import {
  type ConditionValue,
  conditionsOf,
  type Health,
  inForce,
  noCnf,
  responding,
  unreachable,
} from "../reporting/conditions.ts";
import { notAvailable } from "./cnf-report.ts";

/** Name of the CNFStatus object that the operator maintains. */
export const statusName = "cnf-status";

/** Writes the CNFs' status to the CNFStatus object, which is created if it does not exist. */
export async function writeStatusObject(
  client: ReadWriter,
  namespace: string,
  information: readonly CnfInformation[],
  nowMs: number,
): Promise<void> {
  const key = { namespace, name: statusName };
  const current = await client.get(CNFStatus, key).catch(ignoreNotFound);
  const created = current
    ? undefined
    : await client.create(CNFStatus, { metadata: key, spec: {} }).catch(ignoreAlreadyExists);
  const appliedGeneration = (current ?? created)?.metadata.generation ?? 1;
  const status = {
    appliedGeneration,
    appliedTime: rfc3339(nowMs),
    information: [...information],
    ...conditionsOf(appliedGeneration, current?.status, healthOf(information), nowMs).status,
  };
  await client.status.patch(CNFStatus, key, status);
}

/** Maximum number of pods named in a condition. */
const maxNamed = 5;

/** Returns the conditions of a CNFStatus that was just written: it is up to date, and all CNFs respond or some do not. */
const healthOf = (information: readonly CnfInformation[]): Health => ({
  ready: inForce,
  reachable: reachableIn(information),
});

function reachableIn(information: readonly CnfInformation[]): ConditionValue {
  if (information.length === 0) return noCnf;
  const silent = information.filter(({ status }) => status === notAvailable);
  if (silent.length === 0) return responding;
  const names = silent.slice(0, maxNamed).map(({ namespace, name }) => `${namespace}/${name}`);
  const others = silent.length > maxNamed ? ` and ${silent.length - maxNamed} more` : "";
  return unreachable(`${silent.length} of ${information.length} CNF pods do not respond: ${names.join(", ")}${others}`);
}
