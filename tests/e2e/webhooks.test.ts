import { unstructured } from "@kubewright/apimachinery";
import { Client } from "@kubewright/client";
import { ClusterRole, ClusterRoleBinding, Deployment, Namespace } from "@kubewright/client/kinds";
import { localCertificates } from "@kubewright/webhook/local";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "./harness/eventually.ts";
import { modes } from "./harness/modes.ts";
import { ruleKind } from "./harness/rules.ts";
import { TestBed } from "./harness/test-bed.ts";

const controllers = "system:serviceaccount:kube-system:namespace-controller";
const FirewallRule = ruleKind("FirewallRule");

let bed: TestBed;
let jane: Client;
beforeAll(async () => {
  const started = Promise.withResolvers<TestBed>();
  const host = "127.0.0.1";
  bed = await TestBed.start(
    {
      checkIntervalMs: 1_000,
      webhooks: {
        host,
        port: 0,
        certificates: localCertificates({ hosts: [host] }),
        listening: async (webhooks) => {
          const { client } = await started.promise;
          const target = { name: "sdewan", namespace: "sdewan-system", url: `https://${host}:${webhooks.port}` };
          for (const object of webhooks.configurations(target)) await client.create(unstructured(object), object);
        },
      },
    },
    { operator: "operator", controllers },
  );
  started.resolve(bed);
  const annotations = { "sdewan-bucket-type-permission": '{ "*": ["*"] }' };
  await bed.client.create(ClusterRole, { metadata: { name: "every-bucket", annotations } });
  const apiGroup = "rbac.authorization.k8s.io";
  await bed.client.create(ClusterRoleBinding, {
    metadata: { name: "every-bucket" },
    roleRef: { apiGroup, kind: "ClusterRole", name: "every-bucket" },
    subjects: [{ apiGroup, kind: "User", name: "operator" }],
  });
  await bed.env.addUser({ name: "jane" });
  await bed.client.create(ClusterRoleBinding, {
    metadata: { name: "jane" },
    roleRef: { apiGroup, kind: "ClusterRole", name: "e2e-everything" },
    subjects: [{ apiGroup, kind: "User", name: "jane" }],
  });
  jane = new Client({ connection: bed.env.connection("jane") });
  await eventually(() =>
    expect(jane.create(FirewallRule, rule("default", "probe"), { dryRun: true })).rejects.toThrow(
      "User(jane) don't have the permission",
    ),
  );
}, 120_000);
afterAll(async () => {
  await jane?.close();
  await bed?.stop();
});

const rule = (namespace: string, name: string, purpose = "edge") => ({
  metadata: { name, namespace, labels: { sdewanPurpose: purpose, "sdewan-bucket-type": "app-intent" } },
  spec: { target: "DROP" },
});

describe.each(modes)("with webhooks and $mode", ({ quirks }) => {
  it("resources in buckets become in sync, keep their purpose, and are deleted with their namespace", async () => {
    const cnf = await bed.createCnf({ quirks });
    await bed.client.create(FirewallRule, rule(cnf.namespace, "a", cnf.purpose));
    await cnf.inSync("FirewallRule", "a");
    const relabel = { metadata: { labels: { sdewanPurpose: "other" } } };
    await expect(bed.client.patch(FirewallRule, `${cnf.namespace}/a`, relabel)).rejects.toThrow("immutable");
    await expect(bed.client.patch(Deployment, cnf.deployment, relabel)).rejects.toThrow("immutable");
    await expect(jane.delete(FirewallRule, `${cnf.namespace}/a`)).rejects.toThrow("User(jane) don't have");
    await bed.client.delete(Namespace, cnf.namespace);
    await eventually(async () => {
      const left = (await bed.client.list(Namespace)).map(({ metadata }) => metadata.name);
      expect(left).not.toContain(cnf.namespace);
    }, 60_000);
  }, 120_000);

  it("an annotation of the operator cannot be written by somebody else", async () => {
    const cnf = await bed.createCnf({ quirks });
    await cnf.create("FirewallRule", "a", { target: "DROP" });
    await cnf.inSync("FirewallRule", "a");
    const forge = (value: string | null) =>
      bed.client.patch(FirewallRule, `${cnf.namespace}/a`, {
        metadata: { annotations: { "kubewright.dev/applied-purpose": value } },
      });
    await expect(forge("purpose-of-others")).rejects.toThrow("is reserved for the operator");
    await expect(forge(null)).rejects.toThrow("is reserved for the operator");
    await cnf.delete("FirewallRule", "a");
    await cnf.gone("FirewallRule", "a");
  });
});
