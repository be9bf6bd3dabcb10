import { expect, it } from "vitest";
import { neededAccess } from "./needed-access.ts";

it("lists every permission with its namespace", () => {
  const site = {
    group: "shop.example.com",
    plural: "sites",
    kind: "Site",
    version: "v1",
    scope: "Namespaced",
  } as const;
  const needed = neededAccess(
    {
      name: "shop",
      kinds: [{ ...site, crd: {} }],
      controllers: [{ name: "site", for: site, owns: [], watches: [] }],
      webhooks: [],
      permissions: [
        { group: "", resource: "secrets", verbs: ["get"], resourceNames: ["a", "b"], namespace: "kube-public" },
      ],
      caches: [],
      leaderElection: { id: "shop.example.com" },
      metrics: { isAuthenticated: true },
    },
    "there",
  );
  const text = needed.map(({ group, resource, subresource, verb, name, namespace }) =>
    [verb, resource, subresource, group, name, namespace].map((one) => one ?? "-").join(" "),
  );
  expect(text.sort()).toEqual([
    "create leases - coordination.k8s.io - there",
    "create subjectaccessreviews - authorization.k8s.io - -",
    "create tokenreviews - authentication.k8s.io - -",
    "get leases - coordination.k8s.io shop.example.com there",
    "get secrets -  a kube-public",
    "get secrets -  b kube-public",
    "get sites - shop.example.com - -",
    "get sites status shop.example.com - -",
    "list sites - shop.example.com - -",
    "patch sites status shop.example.com - -",
    "update leases - coordination.k8s.io shop.example.com there",
    "update sites finalizers shop.example.com - -",
    "update sites status shop.example.com - -",
    "watch sites - shop.example.com - -",
  ]);
});
