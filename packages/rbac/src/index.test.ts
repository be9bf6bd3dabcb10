import { expect, it } from "vitest";
import * as api from "./index.ts";

it("exports these names and no others", () => {
  expect(Object.keys(api).sort()).toEqual([
    "controllerPermissions",
    "derivedPermissions",
    "grantsOf",
    "isGranted",
    "neededAccess",
    "observedPermissions",
    "observedText",
    "parseObserved",
    "placedGrants",
    "rbacOf",
    "recordedPermissions",
    "rulesOf",
  ]);
});

it("runs the README's example", () => {
  const site = {
    group: "shop.example.com",
    version: "v1",
    kind: "Site",
    plural: "sites",
    scope: "Namespaced",
  } as const;
  const shop: api.ProgramDescription = {
    name: "shop",
    kinds: [],
    controllers: [{ name: "site", for: site, owns: [], watches: [] }],
    webhooks: [],
    permissions: [{ group: "", resource: "secrets", verbs: ["get"], resourceNames: ["license"] }],
    caches: [],
    metrics: { isAuthenticated: false },
  };

  const [role] = api.rbacOf(shop).objects.get("role.yaml") ?? [];
  expect(role).toMatchObject({ kind: "ClusterRole", metadata: { name: "manager-role" } });
  expect(role?.rules).toEqual([
    { apiGroups: [""], resources: ["secrets"], resourceNames: ["license"], verbs: ["get"] },
    { apiGroups: ["shop.example.com"], resources: ["sites"], verbs: ["get", "list", "watch"] },
  ]);
});
