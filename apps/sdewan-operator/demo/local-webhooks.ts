import { ignoreAlreadyExists, unstructured } from "@kubewright/apimachinery";
import type { Client } from "@kubewright/client";
import { localCertificates } from "@kubewright/webhook/local";
import type { WebhookSettings } from "../src/operator/webhook-server.ts";
import { webhookName } from "../src/webhooks/webhooks.ts";
import { operatorNamespace } from "./operator-account.ts";

const host = "127.0.0.1";

/** Returns settings of webhooks on a free port of this machine, for an API server on the same machine. */
export const localWebhooks = (administrator: Client): WebhookSettings => ({
  host,
  port: 0,
  certificates: localCertificates({ hosts: [host] }),
  listening: async (webhooks) => {
    const url = `https://${host}:${webhooks.port}`;
    const objects = webhooks.configurations({ name: webhookName, namespace: operatorNamespace, url });
    for (const object of objects) await administrator.create(unstructured(object), object).catch(ignoreAlreadyExists);
  },
});
