import type { ServedWebhook } from "./server/webhook.ts";
import { WebhookServer } from "./server/webhook-server.ts";
import type { WebhookServerOptions } from "./server/webhook-server-options.ts";

/** A webhook that can be added to a manager. It creates its own server. */
export interface Webhook extends ServedWebhook {
  newServer(options: WebhookServerOptions): WebhookServer;
}

export const newServer = (options: WebhookServerOptions): WebhookServer => new WebhookServer(options);
