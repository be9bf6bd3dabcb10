import { readFileSync } from "node:fs";
import { Auditor, AuditPolicy, auditLogFile } from "@kubewright/apiserver/audit";
import type { Clock } from "@kubewright/clock";
import type { Logger } from "@kubewright/log";

export interface AuditOptions {
  /** A line of JSON for each stage of a request is appended to this file; `-` is standard output. */
  readonly auditLogPath?: string;
  /** A `Policy` of `audit.k8s.io/v1`. Default: the metadata of every request. */
  readonly auditPolicyFile?: string;
}

/** @throws {Error} naming what is wrong with the policy, or the file that cannot be read */
export function openAuditor(options: AuditOptions, clock: Clock, logger: Logger): Auditor | undefined {
  const { auditLogPath, auditPolicyFile } = options;
  if (!auditLogPath) return undefined;
  const policy = auditPolicyFile ? policyIn(auditPolicyFile) : AuditPolicy.metadata;
  const sink = auditLogFile(auditLogPath, (err) => logger.error({ err, path: auditLogPath }, "audit log not written"));
  return new Auditor(policy, sink, clock);
}

function policyIn(path: string): AuditPolicy {
  try {
    return AuditPolicy.parse(readFileSync(path, "utf8"));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`failed to load audit policy file ${path}: ${reason}`, { cause: error });
  }
}
