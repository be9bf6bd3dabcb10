import { systemRandom } from "@kubewright/clock";
import type { ApiRequests } from "../bed/api-requests.ts";
import { createOrUpdate, expectOk, messageIn, objectPath, type PollOptions, poll } from "../bed/api-writes.ts";
import { type Configuration, collectionOf } from "./webhook-source.ts";

/**
 * Creates or updates webhook configurations, and resolves when they are in effect.
 *
 * @returns for each kind of configuration, the API server's error message for a call to a path that does not exist
 * @see controller-runtime pkg/envtest WebhookInstallOptions.Install
 */
export async function installWebhooks(
  api: ApiRequests,
  configurations: readonly Configuration[],
  patience: PollOptions,
): Promise<string[]> {
  for (const each of configurations) await createOrUpdate(api, collectionOf(each.kind), each);
  const lastOfKind = new Map(configurations.map((each) => [each.kind, each]));
  return Promise.all([...lastOfKind.values()].map((each) => probeRefusal(api, each, patience)));
}

/** Deletes existing configurations. */
export async function uninstallWebhooks(api: ApiRequests, configurations: readonly Configuration[]): Promise<void> {
  for (const { kind, metadata } of configurations)
    await expectOk(`delete ${metadata.name}`, api.send("DELETE", objectPath(collectionOf(kind), metadata.name)), 404);
}

const clusterRoles = "/apis/rbac.authorization.k8s.io/v1/clusterroles";

/**
 * Waits until configurations are in effect. API servers notice them with a delay, and in the order in which they were written. Therefore
 * this function writes one more configuration, which matches only a request that this function sends: once the API server refuses that
 * request, the earlier configurations are in effect.
 */
async function probeRefusal(api: ApiRequests, like: Configuration, patience: PollOptions): Promise<string> {
  const name = `envtest-${systemRandom.uuid()}`;
  const labels = { "kubewright.dev/envtest-probe": name };
  const collection = collectionOf(like.kind);
  await expectOk(`create ${name}`, api.send("POST", collection, probe(like, name, labels)));
  try {
    let message = "";
    await poll(patience, `${like.metadata.name} is not in effect`, async () => {
      const role = { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", metadata: { name, labels } };
      const { status, text } = await api.send("POST", `${clusterRoles}?dryRun=All`, role);
      message = messageIn(text);
      return status >= 400;
    });
    return message;
  } finally {
    await expectOk(`delete ${name}`, api.send("DELETE", objectPath(collection, name)), 404);
  }
}

/** Returns a configuration whose webhook is called in the same way as the first webhook of another configuration, except for the path. */
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
