import type { AuthorizationAttributes } from "@kubewright/apiserver/authorization";
import { FakeClock } from "@kubewright/clock/testing";
import { MemoryStorage } from "@kubewright/storage";
import { expect, it } from "vitest";
import { authorizationOf } from "./authorization-modes.ts";
import { type AuthorizationMode, type AuthorizationOptions, authorizationModes } from "./authorization-options.ts";
import { bootstrapRbac } from "./bootstrap-rbac.ts";
import { nodeRules, nodeSource } from "./node-source.ts";
import { rbacSource } from "./rbac-source.ts";

/** Creates a store with an object under each key, named after the key's last part. */
async function storing(objects: Readonly<Record<string, object>>): Promise<MemoryStorage> {
  const storage = new MemoryStorage();
  for (const [key, more] of Object.entries(objects)) {
    const name = key.split("/").at(-1) ?? "";
    await storage.create(key, { apiVersion: "v1", kind: "Any", metadata: { name }, ...more });
  }
  return storage;
}
const names = (objects: readonly { readonly metadata?: { readonly name?: string } }[]) =>
  objects.map(({ metadata }) => metadata?.name);

it("returns roles and bindings of the namespace, or the cluster", async () => {
  const at = "/rbac.authorization.k8s.io";
  const storage = await storing({
    [`${at}/roles/ns/r`]: { rules: [1] },
    [`${at}/clusterroles/r`]: { rules: [2] },
    [`${at}/rolebindings/ns/b`]: {},
    [`${at}/rolebindings/ns2/c`]: {},
    [`${at}/clusterrolebindings/d`]: {},
  });
  const source = rbacSource(storage);
  expect(await source.role("ns", "r")).toMatchObject({ rules: [1] });
  expect(await source.clusterRole("r")).toMatchObject({ rules: [2] });
  expect(await source.role("ns2", "r")).toBeUndefined();
  expect(await source.clusterRole("none")).toBeUndefined();
  expect((await source.roleBindings("ns")).map((each) => each)).toMatchObject([{ metadata: { name: "b" } }]);
  expect(await source.clusterRoleBindings()).toMatchObject([{ metadata: { name: "d" } }]);
});

it("relates a node to the pods bound to it, in one namespace", async () => {
  const storage = await storing({
    "/core/pods/ns/here": { spec: { nodeName: "n1" } },
    "/core/pods/ns/there": { spec: { nodeName: "n2" } },
    "/core/pods/ns/nowhere": {},
    "/core/pods/ns2/other": { spec: { nodeName: "n1" } },
    "/core/persistentvolumes/pv": {},
  });
  const source = nodeSource(storage);
  expect(names(await source.podsOnNode("ns", "n1"))).toEqual(["here"]);
  expect(names(await source.podsOnNode("ns", "n3"))).toEqual([]);
  expect(names(await source.persistentVolumes())).toEqual(["pv"]);
  expect(await source.object("", "pods", "ns", "here")).toMatchObject({ metadata: { name: "here" } });
  expect(await source.object("", "pods", "ns", "none")).toBeUndefined();
});

it("grants every node its bootstrap role, which is read once", async () => {
  const role = bootstrapRbac().find(({ kind, metadata }) => kind === "ClusterRole" && metadata.name === "system:node");
  expect(await nodeRules()).toEqual(role?.rules);
  expect(await nodeRules()).toBe(await nodeRules());
  expect(role?.rules).not.toEqual([]);
});

const asked = { verb: "get", isResourceRequest: true, path: "", group: "", version: "v1", resource: "services" };
const byUser = (name: string, ...groups: string[]): AuthorizationAttributes => ({
  ...asked,
  user: { name, groups },
  subresource: "",
  namespace: "ns",
  name: "x",
});
const authorizationWith = async (options: AuthorizationOptions | readonly AuthorizationMode[]) =>
  authorizationOf(options, await storing({}), new FakeClock());

it.each<[AuthorizationOptions | readonly AuthorizationMode[], string, string, boolean]>([
  [{}, "allow", "allow", false],
  [{ authorizationModes: ["AlwaysAllow"] }, "allow", "allow", false],
  [["AlwaysAllow"], "allow", "allow", false],
  [["AlwaysDeny"], "no opinion", "no opinion", false],
  [["AlwaysDeny", "AlwaysAllow"], "allow", "allow", false],
  [["RBAC"], "no opinion", "no opinion", true],
  [["Node"], "no opinion", "allow", false],
  [["Node", "RBAC"], "no opinion", "allow", true],
])("with %j jane's answer is %j, a node's %j", async (options, jane, node, usesRbac) => {
  const authorization = await authorizationWith(options);
  const decisionFor = async (attributes: AuthorizationAttributes) =>
    (await authorization.authorize(attributes)).decision;
  expect(await decisionFor(byUser("jane"))).toBe(jane);
  expect(await decisionFor(byUser("system:node:n1", "system:nodes"))).toBe(node);
  expect(await decisionFor(byUser("root", "system:masters"))).toBe("allow");
  expect(authorization.usesRbac).toBe(usesRbac);
  await authorization.close();
});

it("reports errors in options at once", async () => {
  await expect(authorizationWith([])).rejects.toThrow(/^at least one authorization-mode must be passed$/);
  await expect(authorizationWith(["ABAC", "Webhook"])).rejects.toThrow(
    "[authorization-mode ABAC's authorization policy file not passed, authorization-mode Webhook's authorization config file not passed]",
  );
  expect(authorizationModes).toEqual(["ABAC", "AlwaysAllow", "AlwaysDeny", "Node", "RBAC", "Webhook"]);
});

it("names a missing file", async () => {
  const abac = { authorizationModes: ["ABAC"], authorizationPolicyFile: "/none" } as const;
  await expect(authorizationWith(abac)).rejects.toThrow("invalid authorization config: open /none:");
  const webhook = { authorizationModes: ["Webhook"], authorizationWebhookConfigFile: "/none" } as const;
  await expect(authorizationWith(webhook)).rejects.toThrow("invalid authorization config: stat /none:");
});
