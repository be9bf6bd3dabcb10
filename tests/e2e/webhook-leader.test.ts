import { createServer } from "node:net";
import { isForbidden, unstructured } from "@kubewright/apimachinery";
import { Client } from "@kubewright/client";
import { ClusterRole, ClusterRoleBinding, Lease, Secret } from "@kubewright/client/kinds";
import { afterAll, beforeAll, expect, it } from "vitest";
import { eventually } from "./harness/eventually.ts";
import { RunningOperator } from "./harness/operator.ts";
import { ruleKind } from "./harness/rules.ts";
import { TestBed } from "./harness/test-bed.ts";

const FirewallRule = ruleKind("FirewallRule");
const [host, namespace] = ["127.0.0.1", "default"];
const lease = `${namespace}/controller-leader-election-helper`;
const certificate = { name: "webhook-server-cert", namespace };

let bed: TestBed;
let jane: Client;
beforeAll(async () => {
  bed = await TestBed.start();
  await bed.stopOperator();
  await bed.env.addUser({ name: "jane" });
  const [apiGroup, name] = ["rbac.authorization.k8s.io", "jane"];
  const rules = [{ apiGroups: [FirewallRule.group], resources: ["firewallrules"], verbs: ["create"] }];
  await bed.client.create(ClusterRole, { metadata: { name }, rules });
  await bed.client.create(ClusterRoleBinding, {
    metadata: { name },
    roleRef: { apiGroup, kind: "ClusterRole", name },
    subjects: [{ apiGroup, kind: "User", name }],
  });
  jane = new Client({ connection: bed.env.connection("jane") });
  await bed.client.create(Secret, { metadata: certificate, type: "Opaque" });
}, 60_000);
afterAll(async () => {
  await jane?.close();
  await bed?.stop();
});

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, host, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });

/** Starts a replica; all keep the certificate in the same Secret. */
async function replica(onListening: (url: string) => Promise<void> = async () => {}) {
  const health = `${host}:${await freePort()}`;
  const operator = new RunningOperator(
    bed.env.connection(),
    {
      leaderElect: true,
      leaderElectionNamespace: namespace,
      healthProbeBindAddress: health,
      webhooks: {
        host,
        port: 0,
        certificates: { secret: `${namespace}/${certificate.name}`, dnsNames: [host] },
        listening: async (webhooks) => {
          const url = `https://${host}:${webhooks.port}`;
          for (const object of webhooks.configurations({ name: "sdewan", namespace, url }))
            await bed.client.apply(unstructured(object), object, { fieldOwner: "e2e", force: true });
          await onListening(url);
        },
      },
    },
    bed.log,
  );
  await eventually(async () => expect((await fetch(`http://${health}/readyz`)).status).toBe(200), 30_000).catch(
    async (error: unknown) => {
      await operator.stop(); // which reports the error that ended it early
      throw error;
    },
  );
  return operator;
}

const holder = async (): Promise<string | undefined> =>
  (await bed.client.get(Lease, lease).catch(() => undefined))?.spec?.holderIdentity || undefined;

/** Returns the API server's answer to a user who may not write in that bucket. */
async function refusal(): Promise<string> {
  const metadata = { name: "a", namespace, labels: { sdewanPurpose: "edge", "sdewan-bucket-type": "app-intent" } };
  const error: unknown = await jane
    .create(FirewallRule, { metadata, spec: { target: "DROP" } }, { dryRun: true })
    .catch((reason: unknown) => reason);
  return isForbidden(error) && String(error).includes("User(jane) don't have the permission")
    ? "refused"
    : String(error);
}

it("replicas serve the webhooks whether they lead or not, and continue while another one begins to lead", async () => {
  const first = await replica();
  await eventually(async () => expect(await holder()).toBeDefined());
  await eventually(async () => expect(await refusal(), "the leader's own").toBe("refused"));
  const leading = await holder();

  // From here on, the API server calls the replica that does not lead.
  const second = await replica();
  try {
    expect(await refusal()).toBe("refused");
    expect(await holder()).toBe(leading);

    const answers = new Map<string, number>();
    const stop = new AbortController();
    const asking = (async () => {
      while (!stop.signal.aborted) {
        const answer = await refusal();
        answers.set(answer, (answers.get(answer) ?? 0) + 1);
      }
    })();
    await first.stop();
    await eventually(async () => {
      const now = await holder();
      expect(now).toBeDefined();
      expect(now).not.toBe(leading);
    }, 60_000);
    const atChange = answers.get("refused") ?? 0;
    await eventually(() => expect(answers.get("refused") ?? 0).toBeGreaterThan(atChange + 5));
    stop.abort();
    await asking;
    expect([...answers.keys()]).toEqual(["refused"]);
  } finally {
    await second.stop();
    await first.stop();
  }
}, 120_000);
