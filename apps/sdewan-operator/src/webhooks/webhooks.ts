import type { Webhook } from "@kubewright/webhook";
import { bucketPermission } from "./bucket-permission.ts";
import { labelImmutability } from "./label-immutability.ts";

/** What the reference's manifests, with its name prefix, call the configuration and the service. */
export const webhookName = "sdewan";
export const webhookService = "sdewan-webhook-service";
export const webhookConfiguration: string = `${webhookName}-validating-webhook-configuration`;

/**
 * The operator's webhooks.
 *
 * @param operatorUser the name by which the API server knows the operator
 */
export const operatorWebhooks = (operatorUser: () => Promise<string>): readonly Webhook[] => [
  bucketPermission(operatorUser),
  ...labelImmutability(),
];
