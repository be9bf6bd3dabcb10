import { core, ns } from "./objects.ts";
import type { VerbCase } from "./verb-case.ts";

/** Namespaces are cluster-scoped: a role in one namespace does not apply to others. */
const misplaced = (method: string, verb: string, path: string): VerbCase => ({
  what: `${method} of namespaces below a namespace${path === "" ? "" : ", by name"}`,
  method,
  path: `/api/v1/namespaces/${ns}/namespaces${path}`,
  ...(method === "GET" || method === "DELETE" ? {} : { body: { metadata: { name: "victim" } } }),
  needs: [`${verb} namespaces`],
  status: 404,
});
export const namespacesInNamespaces: readonly VerbCase[] = [
  misplaced("GET", "list", ""),
  misplaced("GET", "get", "/victim"),
  misplaced("POST", "create", ""),
  misplaced("PUT", "update", "/victim"),
  misplaced("PATCH", "patch", "/victim"),
  misplaced("DELETE", "delete", "/victim"),
  misplaced("DELETE", "deletecollection", ""),
  { ...misplaced("GET", "list", ""), what: "nodes below a namespace", path: `${core}/nodes`, needs: ["list nodes"] },
];
