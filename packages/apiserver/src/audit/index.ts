export { Auditor } from "./auditor.ts";
export { auditLogFile } from "./log-file.ts";
export { AuditPolicy } from "./policy.ts";
