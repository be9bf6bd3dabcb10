import { type DeepReadonly, keyOf } from "@kubewright/apimachinery";
import type { Reader } from "@kubewright/client";
import type { Pod } from "@kubewright/client/kinds";
import { CniInterface } from "../api/cni-interface.ts";
import type { CnfInterface } from "../cnf/cnf-api.ts";
import { addressesOf } from "../cnf/pod-state.ts";
import { isOlder } from "../rules/age.ts";
import { selects } from "./selection.ts";

export type Action = "up" | "down";

/** Name of the interface that Kubernetes creates for the pod's own address. */
const podInterface = "eth0";

/** Returns the state that a CniInterface requests, if any. */
export function actionOf({ spec }: DeepReadonly<CniInterface>): Action | undefined {
  const desired = (spec?.status ?? "").trim().toLowerCase();
  return desired === "up" || desired === "down" ? desired : undefined;
}

/**
 * Returns the reason why an interface must not be brought up or down as requested by a CniInterface, or undefined if it
 * may be.
 */
export async function refusalOf(
  action: Action,
  object: DeepReadonly<CniInterface>,
  pod: DeepReadonly<Pod>,
  seen: CnfInterface | undefined,
  reader: Reader,
): Promise<string | undefined> {
  const name = object.spec?.name ?? "";
  if (action === "down" && isManagementInterface(name, seen, pod))
    return `${name} stays up: the operator reaches the CNF through this interface, and could not switch it up again`;
  const older = await olderOf(object, pod, reader);
  if (older) return `${name} is controlled by the older CniInterface ${keyOf(older)}`;
  return undefined;
}

function isManagementInterface(name: string, seen: CnfInterface | undefined, pod: DeepReadonly<Pod>): boolean {
  const own = new Set(addressesOf(pod));
  return name === podInterface || (seen?.ip_address ?? []).some((address) => own.has(address.split("/")[0] ?? ""));
}

/** Returns the oldest CniInterface that switches the same interface of the same pod. */
async function olderOf(
  object: DeepReadonly<CniInterface>,
  pod: DeepReadonly<Pod>,
  reader: Reader,
): Promise<DeepReadonly<CniInterface> | undefined> {
  const all = await reader.list(CniInterface, { namespace: object.metadata.namespace });
  const older = all.filter(
    (other) =>
      other.metadata.uid !== object.metadata.uid &&
      !other.metadata.deletionTimestamp &&
      other.spec?.name === object.spec?.name &&
      actionOf(other) !== undefined &&
      hasPriority(other, object) &&
      selects(other, pod),
  );
  const [oldest] = older.sort((a, b) => (hasPriority(a, b) ? -1 : 1));
  return oldest;
}

const hasPriority = (a: DeepReadonly<CniInterface>, b: DeepReadonly<CniInterface>): boolean =>
  isOlder(a, b) ?? a.metadata.name < b.metadata.name;
