import type { Client } from "@kubewright/client";
import { type ApplyManifestsOptions, type ApplyResult, applyManifests, type Manifests } from "@kubewright/client/apply";
import { exitCodeOf } from "../command/exit-code.ts";
import type { Report } from "../command/report.ts";

/** What a line, or an item of the document, says. */
export interface AppliedItem {
  readonly outcome: ApplyResult["outcome"];
  readonly name: string;
  readonly source?: string;
  readonly reason?: string;
}

/** Applies what was read, telling of each; answers 0, 1 if something failed, 3 if nothing could be asked of the cluster. */
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
  // Nobody knows what was meant to be kept.
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
    // Without a connection every other one would fail like it.
    if (exitCodeOf(error) === 3 && !hasStatus(error)) return 3;
    code = 1;
  }
  if (options.prune && !prune)
    report.add({ outcome: "skipped", name: "pruning" }, "pruning skipped: not everything could be read", true);
  return code;
}

const hasStatus = (error: unknown): boolean => error instanceof Error && error.name === "StatusError";
