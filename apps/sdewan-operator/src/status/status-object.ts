import { ignoreAlreadyExists, ignoreNotFound } from "@kubewright/apimachinery";
import type { ReadWriter } from "@kubewright/client";
import { rfc3339 } from "@kubewright/clock";
import { CNFStatus, type CnfInformation } from "../api/cnf-status.ts";
import { conditionsOf } from "../tell/standing.ts";
import { standingOf } from "./status-standing.ts";

/** The name of the maintained CNFStatus. */
export const statusName = "cnf-status";

/** Writes the status of the CNFs to the CNFStatus, and creates it if it does not exist. */
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
    ...conditionsOf(appliedGeneration, current?.status, standingOf(information), nowMs).status,
  };
  await client.status.patch(CNFStatus, key, status);
}
