import type { Unstructured } from "@kubewright/apimachinery";
import { expect, it } from "vitest";
import { rbacDrift } from "./rbac-drift.ts";

const account = { namespace: "shop-system", name: "shop" };
const apiVersion = "rbac.authorization.k8s.io/v1";
const rule = (group: string, resource: string, verbs: string[], names?: string[]) => ({
  apiGroups: [group],
  resources: [resource],
  verbs,
  ...(names ? { resourceNames: names } : {}),
});

/** A role and its binding to the account. */
function granted(rules: object[], namespace?: string, subject = account): Unstructured[] {
  const [kind, metadata] = namespace ? ["Role", { name: "r", namespace }] : ["ClusterRole", { name: "r" }];
  const roleRef = { kind, name: "r" };
  const subjects = [{ kind: "ServiceAccount", ...subject }];
  return [
    { apiVersion, kind, metadata, rules },
    { apiVersion, kind: `${kind}Binding`, metadata, roleRef, subjects },
  ];
}

it("finds no drift between equivalent rules", () => {
  const wanted = granted([rule("apps", "deployments", ["get", "list"]), rule("", "secrets", ["get"], ["token"])]);
  const present = granted([
    rule("apps", "deployments", ["list"]),
    rule("apps", "deployments", ["get"]),
    rule("", "secrets", ["get"], ["token"]),
  ]);
  expect(rbacDrift(wanted, present, account)).toEqual({ missing: [], excess: [] });
});

it("names missing and excess permissions", () => {
  const wanted = granted([rule("apps", "deployments", ["get", "list"]), rule("", "secrets", ["get"], ["token"])]);
  const present = granted([rule("apps", "deployments", ["delete", "get"]), rule("", "secrets", ["get"])]);
  expect(rbacDrift(wanted, present, account)).toEqual({
    missing: ["list deployments.apps"],
    excess: ["delete deployments.apps", "get secrets"],
  });
});

it("compares namespaces and subjects", () => {
  const rules = [rule("", "secrets", ["get"])];
  const [everywhere, here] = [granted(rules), granted(rules, "shop-system")];
  expect(rbacDrift(here, everywhere, account)).toEqual({ missing: [], excess: ["get secrets"] });
  expect(rbacDrift(everywhere, here, account)).toEqual({ missing: ["get secrets"], excess: [] });
  const others = granted(rules, "shop-system", { namespace: "shop-system", name: "jane" });
  expect(rbacDrift(here, others, account)).toEqual({ missing: ["get secrets in shop-system"], excess: [] });
});

it("treats a wildcard as covering everything needed, and as excess", () => {
  const all = granted([rule("*", "*", ["*"])]);
  expect(rbacDrift(granted([rule("", "secrets", ["get"])]), all, account)).toEqual({ missing: [], excess: ["* *.*"] });
});
