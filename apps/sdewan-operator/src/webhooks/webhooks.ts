import type { Webhook } from "@kubewright/webhook";
import { bucketPermission, type Checks } from "./bucket-permission.ts";
import { labelImmutability } from "./label-immutability.ts";

/** Name of the webhook configuration and the Service in the reference manifests, including the name prefix. */
export const webhookName = "sdewan";
export const webhookService = "sdewan-webhook-service";
export const webhookConfiguration: string = `${webhookName}-validating-webhook-configuration`;

/**
 * Returns the operator's webhooks.
 *
 * @param operatorUser returns the operator's user name in the API server
 * @param checks additional checks for objects that are created or updated. Default: none
 */
export const operatorWebhooks = (operatorUser: () => Promise<string>, checks: Checks = {}): readonly Webhook[] => [
  bucketPermission(operatorUser, checks),
  ...labelImmutability(),
];
