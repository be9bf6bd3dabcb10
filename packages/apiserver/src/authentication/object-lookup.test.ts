import { expect, it } from "vitest";
import { storedObjects } from "./object-lookup.ts";

it("finds objects in the store, and returns nothing for missing ones", async () => {
  const asked: unknown[] = [];
  const lookup = storedObjects({ get: async (...of: unknown[]) => void asked.push(of) } as never);
  await lookup("", "pods", "default", "web");
  await lookup("", "nodes", "", "n1");
  await lookup("apps", "deployments", "default", "web");
  expect(asked).toEqual([
    ["/core/pods/default/web", { ignoreNotFound: true }],
    ["/core/nodes/n1", { ignoreNotFound: true }],
    ["/apps/deployments/default/web", { ignoreNotFound: true }],
  ]);
});
