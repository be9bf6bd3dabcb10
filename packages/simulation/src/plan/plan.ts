import { isStatusError } from "@kubewright/apimachinery";
import { type Connection, isConnectionError } from "@kubewright/client";
import { inThisThread, loadNatively } from "../program/load-natively.ts";
import type { LiveCluster, LiveResponse } from "./live-copy.ts";
import { PlanError, type PlannedManifest, type PlanReport } from "./plan-report.ts";
import type { runPlan } from "./run-plan.ts";

/** Options for {@link plan} and {@link planProgram}. */
export interface PlanOptions {
  /** Connection to the live cluster. A plan only reads from it, except with `confirm`. */
  readonly connection: Connection;
  /** Objects to apply to the copy before the program runs. Default: none. */
  readonly manifests?: readonly PlannedManifest[] | undefined;
  /**
   * True to send the final objects to the live cluster with `dryRun=All`, to check them against its webhooks and
   * quotas. Nothing is stored. Default false.
   */
  readonly confirm?: boolean | undefined;
  /**
   * True to also run the built-in controllers that roll out workloads, and a simulated node on which new pods run, so that Deployments become
   * available. Default false.
   */
  readonly settle?: boolean | undefined;
  /** Maximum total size of the responses from which the cluster is copied, in bytes. Default 512 MiB. */
  readonly maxBytes?: number | undefined;
  /** Signal that stops the plan, and a program that it has started. */
  readonly signal: AbortSignal;
}

/** Options for {@link plan}. */
export interface ModulePlanOptions extends PlanOptions {
  /** Hosts and ports to which the program may connect, such as `10.0.0.7:443`. All other connections are refused. Default: none. */
  readonly allow?: readonly string[] | undefined;
}

export const defaultMaxBytes: number = 512 << 20;

/**
 * Determines what a program would do in a cluster. The program runs unchanged on a copy of the cluster in this process, with a virtual
 * clock, until it has nothing left to do. The live cluster is only read.
 *
 * @param program URL of the program's module, which exports `setup(manager)` or `main(options, signal)`
 * @throws {PlanError} if the cluster cannot be copied, a manifest is rejected, or the program fails or does not settle
 * @throws the signal's reason if it aborts
 */
export async function plan(program: URL, options: ModulePlanOptions): Promise<PlanReport> {
  const { manifests = [], allow = [], settle = false, maxBytes = defaultMaxBytes, signal } = options;
  const live = liveCluster(options);
  const run = await loadNatively<typeof runPlan>(import.meta.url, "run-plan", "runPlan");
  return inThisThread(() => run({ program, live, manifests, allow, settle, maxBytes, signal }));
}

/** Returns the requests that a plan may send to the live cluster. */
export function liveCluster({ connection, confirm, signal }: PlanOptions): LiveCluster {
  const read = async (path: string, maxBytes: number): Promise<LiveResponse | undefined> => {
    try {
      const { status, chunks } = await connection.stream({ path, headers: { accept: "application/json" }, signal });
      const parts: Uint8Array[] = [];
      let size = 0;
      for await (const chunk of chunks) {
        size += chunk.byteLength;
        if (size > maxBytes) return undefined;
        parts.push(chunk);
      }
      return { status, body: Buffer.concat(parts) };
    } catch (error) {
      return refusal(error);
    }
  };
  if (!confirm) return { read };
  return {
    read,
    dryRun: async (method, path, body) =>
      connection.request({
        method,
        path,
        query: { dryRun: "All" },
        headers: { accept: "application/json", ...(body ? { "content-type": "application/json" } : {}) },
        ...(body ? { body: JSON.stringify(body) } : {}),
        signal,
      }),
  };
}

/** Returns the response of a request that the cluster refused. @throws the error if there was no response */
function refusal(error: unknown): LiveResponse {
  if (isStatusError(error)) return { status: error.code, body: Buffer.from(JSON.stringify(error.status)) };
  if (isConnectionError(error)) throw new PlanError("cluster", error.message, { cause: error });
  throw error;
}
