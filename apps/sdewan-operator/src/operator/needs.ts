import type { Manager } from "@kubewright/manager";
import { CNFNAT } from "../api/cnf-nat.ts";
import { CNFRoute } from "../api/cnf-route.ts";
import { CNFStatus } from "../api/cnf-status.ts";
import { apiKinds } from "../kinds/api-kinds.ts";
import { roleKinds } from "../webhooks/role-grants.ts";

const reads = ["get", "list", "watch"] as const;

/** What the operator does besides what its controllers say that they are about: for its roles. */
export function declareNeeds(manager: Manager): void {
  manager.defines(...apiKinds);
  // Finalizers and the annotations that say what was applied.
  for (const kind of apiKinds) manager.needs(kind, ["patch"]);
  // What composites are made of.
  for (const kind of [CNFNAT, CNFRoute]) manager.needs(kind, ["create", "delete"]);
  manager.needs(CNFStatus, [...reads, "create"]);
  manager.needs(CNFStatus, ["patch"], { subResource: "status" });
  // Whom a role lets use a bucket.
  for (const kind of roleKinds) manager.needs(kind, reads);
}
