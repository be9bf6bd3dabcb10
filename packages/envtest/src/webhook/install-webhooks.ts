import { randomUUID } from "node:crypto";
import type { ApiRequests } from "../bed/api-requests.ts";
import { createOrUpdate, expectOk, messageIn, objectPath, type Patience, poll } from "../bed/api-writes.ts";
import { type Configuration, collectionOf } from "./webhook-source.ts";

/**
 * Creates or updates the configurations, and resolves when the API server asks as they say.
 *
 * @returns for each kind of configuration what the API server said when it called one that nobody serves
 * @see controller-runtime pkg/envtest WebhookInstallOptions.Install
 */
export async function installWebhooks(
  api: ApiRequests,
  configurations: readonly Configuration[],
  patience: Patience,
): Promise<string[]> {
  for (const each of configurations) await createOrUpdate(api, collectionOf(each.kind), each);
  const lastOfKind = new Map(configurations.map((each) => [each.kind, each]));
  return Promise.all([...lastOfKind.values()].map((each) => answerOfProbe(api, each, patience)));
}

/** Deletes those that are there. */
export async function uninstallWebhooks(api: ApiRequests, configurations: readonly Configuration[]): Promise<void> {
  for (const { kind, metadata } of configurations)
    await expectOk(`delete ${metadata.name}`, api.send("DELETE", objectPath(collectionOf(kind), metadata.name)), 404);
}

const clusterRoles = "/apis/rbac.authorization.k8s.io/v1/clusterroles";

/**
 * API servers hear of configurations a little later, in the order in which they were written. So one more is written, which is about nothing but a
 * request that is made here: once that is refused because of it, those before are in force.
 */
async function answerOfProbe(api: ApiRequests, like: Configuration, patience: Patience): Promise<string> {
  const name = `envtest-${randomUUID()}`;
  const labels = { "kubewright.dev/envtest-probe": name };
  const collection = collectionOf(like.kind);
  await expectOk(`create ${name}`, api.send("POST", collection, probe(like, name, labels)));
  try {
    let said = "";
    await poll(patience, `${like.metadata.name} is not in force`, async () => {
      const role = { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", metadata: { name, labels } };
      const { status, text } = await api.send("POST", `${clusterRoles}?dryRun=All`, role);
      said = messageIn(text);
      return status >= 400;
    });
    return said;
  } finally {
    await expectOk(`delete ${name}`, api.send("DELETE", objectPath(collection, name)), 404);
  }
}

/** Called as the configuration calls its first webhook, but for the path. */
function probe({ apiVersion, kind, webhooks }: Configuration, name: string, labels: Record<string, string>): object {
  const { url = "https://127.0.0.1:1", caBundle } = webhooks?.[0]?.clientConfig ?? {};
  const rules = [
    {
      apiGroups: ["rbac.authorization.k8s.io"],
      apiVersions: ["v1"],
      resources: ["clusterroles"],
      operations: ["CREATE"],
    },
  ];
  const webhook = {
    name: "probe.envtest.kubewright.dev",
    clientConfig: { url: new URL("/envtest-probe", url).href, ...(caBundle ? { caBundle } : {}) },
    rules,
    objectSelector: { matchLabels: labels },
    sideEffects: "None",
    admissionReviewVersions: ["v1"],
    timeoutSeconds: 30,
  };
  return { apiVersion, kind, metadata: { name }, webhooks: [webhook] };
}
