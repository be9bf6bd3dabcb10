import { ignoreAlreadyExists, unstructured } from "@kubewright/apimachinery";
import type { Client } from "@kubewright/client";
import { localCertificates } from "@kubewright/webhook";
import type { WebhookSettings } from "../operator/webhook-server.ts";
import { webhookName } from "../webhooks/webhooks.ts";
import { operatorNamespace } from "./operator-account.ts";

const host = "127.0.0.1";

/** Webhooks on any free port of this machine, which the API server, also of this machine, is told to ask. */
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
