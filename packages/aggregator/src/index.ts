export { Aggregator, type AggregatorOptions } from "./server/aggregator.ts";
export type { ProxyCertificate } from "./transport/extension-end.ts";
export type { IdentityHeaders } from "./transport/forwarded-headers.ts";
