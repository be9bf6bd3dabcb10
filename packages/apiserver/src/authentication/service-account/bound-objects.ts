import { isRecord, notFound } from "@kubewright/apimachinery";
import type { ReadonlyObject } from "../../registry/resource.ts";
import type { ObjectLookup } from "../object-lookup.ts";
import type { ServiceAccountInfo } from "./service-account-user.ts";

interface Reference {
  readonly name: string;
  readonly uid: string;
}

/** Time after the deletion of an object at which the object counts as removed, even if it still has finalizers. */
const leewayMs = 60_000;
const invalidated = "service account token has been invalidated";

/**
 * Checks that a token's service account and the objects to which the token is bound still exist.
 *
 * @throws {Error} if one of them does not exist or has been replaced by a different object with the same name
 */
export async function checkBoundObjects(
  claim: unknown,
  lookup: ObjectLookup,
  nowMs: number,
): Promise<Omit<ServiceAccountInfo, "tokenId">> {
  const { namespace, serviceaccount, pod, secret, node } = readClaim(claim);
  const account = await lookup("", "serviceaccounts", namespace, serviceaccount.name);
  if (!account) throw notFound({ group: "", resource: "serviceaccounts" }, serviceaccount.name);
  if (account.metadata.uid !== serviceaccount.uid)
    throw new Error(`service account UID (${account.metadata.uid ?? ""}) does not match claim (${serviceaccount.uid})`);
  if (isGone(account, nowMs)) throw new Error(`service account ${namespace}/${serviceaccount.name} has been deleted`);

  const check = async (resource: string, kind: string, inNamespace: string, reference: Reference): Promise<void> => {
    const found = await lookup("", resource, inNamespace, reference.name);
    if (!found) throw new Error(invalidated);
    if (found.metadata.uid !== reference.uid)
      throw new Error(
        `${kind} UID (${found.metadata.uid ?? ""}) does not match service account ${kind} ref claim (${reference.uid})`,
      );
    if (isGone(found, nowMs)) throw new Error(invalidated);
  };
  if (secret) await check("secrets", "secret", namespace, secret);
  if (pod) await check("pods", "pod", namespace, pod);
  else if (node) await check("nodes", "node", "", node);
  return { namespace, ...serviceaccount, ...(pod ? { pod } : {}), ...(node ? { node } : {}) };
}

function readClaim(claim: unknown) {
  const members = isRecord(claim) ? claim : {};
  const reference = (member: unknown): Reference | undefined =>
    isRecord(member) ? { name: String(member.name ?? ""), uid: String(member.uid ?? "") } : undefined;
  return {
    namespace: typeof members.namespace === "string" ? members.namespace : "",
    serviceaccount: reference(members.serviceaccount) ?? { name: "", uid: "" },
    pod: reference(members.pod),
    secret: reference(members.secret),
    node: reference(members.node),
  };
}

function isGone({ metadata: { deletionTimestamp } }: ReadonlyObject, nowMs: number): boolean {
  return deletionTimestamp !== undefined && Date.parse(deletionTimestamp) < nowMs - leewayMs;
}
