import { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from "@kubewright/client/kinds";
import { expect, it } from "vitest";
import { FakeCluster } from "../testing/fake-cluster.ts";
import { permissionAnnotation } from "./bucket-grant.ts";
import { indexRoles, mayUse } from "./role-grants.ts";

const grants = JSON.stringify({ "*": Array.from({ length: 300 }, () => `*${"a".repeat(30)}*c`) });
const bucket = `${"a".repeat(62)}b`;
const user = { username: "eve", groups: [] as string[], uid: "", extra: {} };
const use = { user, namespace: "team", resource: "firewallrules", bucket };
const subjects = [{ kind: "User", name: "eve" }];

function start() {
  const cluster = new FakeCluster();
  indexRoles({ indexField: cluster.indexField.bind(cluster), configure: () => {} });
  const bind = (name: string, kind: "Role" | "ClusterRole", role: string, namespace = "team") =>
    cluster.put(RoleBinding, { metadata: { name, namespace }, roleRef: { apiGroup: "", kind, name: role }, subjects });
  const annotations = { [permissionAnnotation]: grants };
  return { cluster, bind, annotations };
}

it("yields to other work, however many roles a user has created for himself", async () => {
  const { cluster, bind, annotations } = start();
  for (let index = 0; index < 2_000; index++) {
    cluster.put(Role, { metadata: { name: `r${index}`, namespace: "team", annotations } });
    bind(`b${index}`, "Role", `r${index}`);
  }
  let turns = 0;
  const ticking = setInterval(() => turns++, 1);
  expect(await mayUse(cluster.client, use)).toBe(false);
  clearInterval(ticking);
  expect(turns).toBeGreaterThan(10);
});

it("ends when the request is aborted", async () => {
  const { cluster, bind, annotations } = start();
  cluster.put(Role, { metadata: { name: "r", namespace: "team", annotations } });
  bind("b", "Role", "r");
  await expect(mayUse(cluster.client, use, AbortSignal.abort(new Error("gone")))).rejects.toThrow("gone");
});

it("checks a role once, however often it is bound, and does not confuse it with another of the same name", async () => {
  const { cluster, bind, annotations } = start();
  const read: string[] = [];
  const client = Object.create(cluster.client, {
    get: {
      value: (kind: typeof Role, key: Parameters<typeof cluster.client.get>[1]) => {
        read.push(kind.kind);
        return cluster.client.get(kind, key);
      },
    },
  }) as typeof cluster.client;
  cluster.put(Role, { metadata: { name: "r", namespace: "team", annotations } });
  cluster.put(ClusterRole, { metadata: { name: "r", annotations } });
  for (let index = 0; index < 10; index++) {
    bind(`role${index}`, "Role", "r");
    bind(`cluster${index}`, "ClusterRole", "r");
    cluster.put(ClusterRoleBinding, {
      metadata: { name: `b${index}` },
      roleRef: { apiGroup: "", kind: "ClusterRole", name: "r" },
      subjects,
    });
  }
  expect(await mayUse(client, use)).toBe(false);
  expect(read.toSorted()).toEqual(["ClusterRole", "Role"]);
});
