export type { Delay, Failure, Faults, RequestMatch, RequestVerb } from "./bed/faults.ts";
export { isNotSupportedByTestBedError, NotSupportedByTestBedError } from "./bed/not-supported.ts";
export type { TestConnection, TestUser } from "./bed/test-bed.ts";
export type { Crd, CrdSource } from "./crd/crd-source.ts";
export { Environment, type EnvironmentOptions } from "./environment.ts";
export type { ServedWebhooks, TestWebhookOptions, WebhookProgram } from "./webhook/served-webhooks.ts";
export type { WebhookSource } from "./webhook/webhook-source.ts";
