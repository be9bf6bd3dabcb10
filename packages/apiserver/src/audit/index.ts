export type { AuditSink } from "./auditor.ts";
export { Auditor } from "./auditor.ts";
export type { AuditLogOptions } from "./log-file.ts";
export { auditLogFile } from "./log-file.ts";
export type { AuditDecision } from "./policy.ts";
export { AuditPolicy } from "./policy.ts";
