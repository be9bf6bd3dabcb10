import type { Manager } from "@kubewright/manager";
import { CNFNAT } from "../api/cnf-nat.ts";
import { CNFRoute } from "../api/cnf-route.ts";
import { CNFStatus } from "../api/cnf-status.ts";
import { apiKinds } from "../kinds/api-kinds.ts";
import { roleKinds } from "../webhooks/role-grants.ts";

const reads = ["get", "list", "watch"] as const;

/** Declares the permissions that the operator needs in addition to those of its controllers, for its roles. */
export function declareNeeds(manager: Manager): void {
  manager.defines(...apiKinds);
  // Finalizers, and the annotations that record what was applied.
  for (const kind of apiKinds) manager.needs(kind, ["patch"]);
  // The children of composites.
  for (const kind of [CNFNAT, CNFRoute]) manager.needs(kind, ["create", "delete"]);
  manager.needs(CNFStatus, [...reads, "create"]);
  manager.needs(CNFStatus, ["patch"], { subResource: "status" });
  // The users that a role allows to use a bucket.
  for (const kind of roleKinds) manager.needs(kind, reads);
}
