import { WebhookServer } from "@kubewright/webhook";
import { operatorWebhooks } from "../webhooks/webhooks.ts";
import { type Manifest, yaml } from "./manifest.ts";

/** As `config/default` names the operator's own namespace, which selectors have to know. */
const namespace = "sdewan-system";

/** What makes API servers ask the operator's webhooks; kustomize puts its prefix and its namespace to the names. */
export function webhookManifest(): Manifest {
  const server = new WebhookServer();
  server.add(...operatorWebhooks(() => Promise.reject(new Error("nothing is served here"))));
  const service = { namespace: "system", name: "webhook-service" };
  const [configuration] = server.configurations({ service, namespace });
  const metadata = { name: "validating-webhook-configuration" };
  return {
    path: "config/webhook/manifests.yaml",
    text: yaml({ ...configuration, metadata }, { aliasDuplicateObjects: false }),
  };
}
