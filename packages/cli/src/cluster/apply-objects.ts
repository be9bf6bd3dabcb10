import type { Client } from "@kubewright/client";
import { type ApplyManifestsOptions, type ApplyResult, applyManifests, type Manifests } from "@kubewright/client/apply";
import { exitCodeOf } from "../command/exit-code.ts";
import type { Report } from "../command/report.ts";

/** The result for one object, printed as a line or as an item in the JSON document. */
export interface AppliedItem {
  readonly outcome: ApplyResult["outcome"];
  readonly name: string;
  readonly source?: string;
  readonly reason?: string;
}

/**
 * Applies manifests and reports each result.
 *
 * @returns the exit code: 0 for success, 1 if an object failed, 3 if the cluster was unreachable or rejected the user
 */
export async function applyObjects(
  client: Client,
  { manifests, unreadable }: Manifests,
  options: ApplyManifestsOptions,
  report: Report<AppliedItem>,
): Promise<number> {
  let code = 0;
  for (const { source, error } of unreadable) {
    code = 1;
    report.add({ outcome: "failed", name: source, reason: error.message }, `${source}: ${error.message}`, true);
  }
  // An unreadable file may contain objects that pruning would delete.
  const prune = code === 0 ? options.prune : undefined;
  for await (const { outcome, name, source, reason, error } of applyManifests(client, manifests, {
    ...options,
    prune,
  })) {
    const line = `${name} ${outcome}${options.dryRun ? " (dry run)" : ""}${reason ? `: ${reason}` : ""}`;
    const isFailed = outcome === "failed";
    const place = isFailed && source ? `${source}: ` : "";
    report.add({ outcome, name, ...(source ? { source } : {}), ...(reason ? { reason } : {}) }, place + line, isFailed);
    if (!isFailed) continue;
    // Without a connection, all other objects would fail the same way.
    if (exitCodeOf(error) === 3 && !hasStatus(error)) return 3;
    code = 1;
  }
  if (options.prune && !prune)
    report.add({ outcome: "skipped", name: "pruning" }, "pruning skipped: some manifests could not be read", true);
  return code;
}

const hasStatus = (error: unknown): boolean => error instanceof Error && error.name === "StatusError";
