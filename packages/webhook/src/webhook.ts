import type { ServedWebhook } from "./server/webhook.ts";
import { WebhookServer } from "./server/webhook-server.ts";
import type { WebhookServerOptions } from "./server/webhook-server-options.ts";

/** What a manager can be given: it brings the server that serves it. */
export interface Webhook extends ServedWebhook {
  newServer(options: WebhookServerOptions): WebhookServer;
}

export const newServer = (options: WebhookServerOptions): WebhookServer => new WebhookServer(options);
