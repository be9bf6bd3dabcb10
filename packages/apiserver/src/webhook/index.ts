export type { ResolveService, ServiceAddress } from "./client-config.ts";
export { clientErrors, type UncheckedClientConfig } from "./client-validation.ts";
export type { TypeOfReview } from "./review-type.ts";
export { checkReviewNamed, checkReviewType, isUnreadableReviewError, UnreadableReviewError } from "./review-type.ts";
export { transportErrorText } from "./transport-errors.ts";
export type { WebhookCallOptions, WebhookClientsOptions, WebhookUser } from "./webhook-clients.ts";
export { WebhookClients } from "./webhook-clients.ts";
