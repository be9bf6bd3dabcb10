import type { Authorizer } from "../authorization/authorizer.ts";
import type { AccessCheck } from "../registry/store-requests.ts";
import type { Storage } from "../storage/storage.ts";
import { claimAccess } from "./claim-access.ts";
import { paramAccess } from "./param-access.ts";
import { paramReader } from "./param-reader.ts";
import type { AllServedResources } from "./served-resources.ts";

/** What a writer of a resource must be allowed beside the verb, by `<resource>.<group>`. */
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
    ...claimAccess(authorize, (name) => byKey(`/core/namespaces/${name}`)),
  ]);
}
