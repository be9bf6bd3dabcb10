import { readFileSync } from "node:fs";
import { Auditor, AuditPolicy, auditLogFile } from "@kubewright/apiserver/audit";
import type { Clock } from "@kubewright/clock";
import type { Logger } from "@kubewright/log";

/** Options for audit logs, named like kube-apiserver's flags. */
export interface AuditOptions {
  /** File to which the server appends a line of JSON for each stage of a request; `-` means standard output. */
  readonly auditLogPath?: string | undefined;
  /** Size, in MiB, above which the log is rotated; `Infinity` for no rotation. Default 100. */
  readonly auditLogMaxSize?: number | undefined;
  /** Number of days for which rotated logs are retained; `Infinity` means forever. Default 366. */
  readonly auditLogMaxAge?: number | undefined;
  /** Maximum number of rotated logs to retain; `Infinity` means no limit. Default 100. */
  readonly auditLogMaxBackup?: number | undefined;
  /** True to compress rotated logs with gzip. Default false. */
  readonly auditLogCompress?: boolean | undefined;
  /** File with a `Policy` of `audit.k8s.io/v1`. Default: the metadata of every request. */
  readonly auditPolicyFile?: string | undefined;
}

/**
 * Opens the audit log specified by the options.
 *
 * @throws {Error} if the policy is not valid or a file cannot be read
 */
export function openAuditor(options: AuditOptions, clock: Clock, logger: Logger): Auditor | undefined {
  const { auditLogPath, auditPolicyFile } = options;
  if (!auditLogPath) return undefined;
  const policy = auditPolicyFile ? policyIn(auditPolicyFile) : AuditPolicy.metadata;
  const { auditLogMaxSize, auditLogMaxAge, auditLogMaxBackup, auditLogCompress } = options;
  for (const name of ["auditLogMaxSize", "auditLogMaxAge", "auditLogMaxBackup"] as const)
    if (options[name] !== undefined && !(options[name] > 0))
      throw new RangeError(`${name} must be positive, got ${options[name]}; use Infinity for no limit`);
  const sink = auditLogFile(auditLogPath, {
    ...(auditLogMaxSize === undefined ? {} : { maxSizeMb: auditLogMaxSize }),
    ...(auditLogMaxAge === undefined ? {} : { maxAgeDays: auditLogMaxAge }),
    ...(auditLogMaxBackup === undefined ? {} : { maxBackups: auditLogMaxBackup }),
    ...(auditLogCompress === undefined ? {} : { compress: auditLogCompress }),
    onFailure: (err) => logger.error({ err, path: auditLogPath }, "cannot write the audit log"),
    clock,
  });
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
