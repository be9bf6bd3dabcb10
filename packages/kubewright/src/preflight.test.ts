import { Client } from "@kubewright/client";
import { ClusterRole, ClusterRoleBinding, ConfigMap, Secret } from "@kubewright/client/kinds";
import { Environment } from "@kubewright/envtest";
import { silentLogger } from "@kubewright/log";
import { expect, it } from "vitest";
import { controllerManagedBy, Manager } from "./index.ts";

const user = "shop";

/** Grants the user this permission in the whole cluster. */
async function grant(admin: Client, name: string, resource: string, verbs: string[]): Promise<void> {
  await admin.create(ClusterRole, { metadata: { name }, rules: [{ apiGroups: [""], resources: [resource], verbs }] });
  const api = "rbac.authorization.k8s.io";
  await admin.create(ClusterRoleBinding, {
    metadata: { name },
    roleRef: { apiGroup: api, kind: "ClusterRole", name },
    subjects: [{ apiGroup: api, kind: "User", name: user }],
  });
}

it("starts a controller only when its role is sufficient, and others at once", {
  timeout: 60_000,
}, async () => {
  await using env = await Environment.start();
  await using admin = new Client({ connection: env.connection() });
  await grant(admin, "config", "configmaps", ["get", "list", "watch"]);
  await admin.create(ConfigMap, { metadata: { namespace: "default", name: "web" } });
  await admin.create(Secret, { metadata: { namespace: "default", name: "token" } });
  const seen: string[] = [];
  const manager = new Manager({
    connection: await env.addUser({ name: user }),
    logger: silentLogger,
    metrics: { bindAddress: "0" },
    health: { bindAddress: "127.0.0.1:0" },
    preflight: { intervalMs: 100 },
  });
  controllerManagedBy(manager)
    .for(ConfigMap)
    .complete(async (key) => void seen.push(key));
  controllerManagedBy(manager)
    .for(Secret)
    .needs(ConfigMap, ["get"])
    .complete(async (key) => void seen.push(key));
  const stop = new AbortController();
  const running = manager.run(stop.signal);
  await expect.poll(() => seen).toContain("default/web");
  const readiness = async () => (await fetch(`http://127.0.0.1:${manager.healthPort}/readyz?verbose`)).text();
  await expect
    .poll(readiness)
    .toBe(
      "[-]permissions failed: controller secret lacks get secrets, list secrets, watch secrets\nreadyz check failed\n",
    );
  expect(seen).not.toContain("default/token");

  await grant(admin, "secrets", "secrets", ["get", "list", "watch"]);
  await expect.poll(() => seen, { timeout: 10_000 }).toContain("default/token");
  expect(await readiness()).toBe("[+]permissions ok\nreadyz check passed\n");
  stop.abort();
  await running;
});
