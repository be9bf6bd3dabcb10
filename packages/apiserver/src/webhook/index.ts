export type { ResolveService, WebhookClientConfig } from "./client-config.ts";
export { type ClientConfig, clientErrors } from "./client-validation.ts";
export { checkReviewNamed, checkReviewType, isUnreadableReviewError, UnreadableReviewError } from "./review-type.ts";
export { transportErrorText } from "./transport-errors.ts";
export { WebhookClients } from "./webhook-clients.ts";
