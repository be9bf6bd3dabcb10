export type { AuditSink } from "./auditor.ts";
export { Auditor } from "./auditor.ts";
export type { AuditLogOptions } from "./log-file.ts";
export { auditLogFile } from "./log-file.ts";
export type { OldLogsOptions } from "./old-logs.ts";
export type { AuditDecision, AuditLevel } from "./policy.ts";
export { AuditPolicy } from "./policy.ts";
