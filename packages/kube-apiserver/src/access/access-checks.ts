import type { Authorizer } from "@kubewright/apiserver/authorization";
import type { AccessCheck } from "@kubewright/apiserver/registry";
import type { AllServedResources } from "@kubewright/apiserver/server";
import { paramReader } from "@kubewright/apiserver/server";
import type { Storage } from "@kubewright/storage";
import { claimAccess } from "./claim-access.ts";
import { paramAccess } from "./param-access.ts";
import { signerAccess } from "./signer-access.ts";

/** Returns the checks for additional permissions that some writes require, keyed by `<resource>.<group>`. */
export function accessChecks(
  storage: Storage,
  served: AllServedResources,
  authorize: Authorizer,
): ReadonlyMap<string, AccessCheck> {
  const byKey = (key: string) => storage.get(key, { ignoreNotFound: true });
  return new Map([
    ...paramAccess(authorize, paramReader(storage, served), (plural, name) =>
      byKey(`/admissionregistration.k8s.io/${plural}/${name}`),
    ),
    ...signerAccess(authorize),
    ...claimAccess(authorize, (name) => byKey(`/core/namespaces/${name}`)),
  ]);
}
