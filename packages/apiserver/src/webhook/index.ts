export type { ResolveService } from "./client-config.ts";
export { clientErrors, type UncheckedClientConfig } from "./client-validation.ts";
export { checkReviewNamed, checkReviewType, isUnreadableReviewError, UnreadableReviewError } from "./review-type.ts";
export { transportErrorText } from "./transport-errors.ts";
export { WebhookClients } from "./webhook-clients.ts";
