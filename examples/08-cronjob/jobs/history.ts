import {
  type DeepReadonly,
  ignoreNotFound,
  keyOf,
  type ObjectOf,
  type ReconcileContext,
} from "kubewright";
import { Job } from "kubewright/kinds";

export type JobObject = DeepReadonly<ObjectOf<typeof Job>>;
type Ended = "Complete" | "Failed";

/** Returns how a Job ended, or undefined while it is active. */
export function endOf({ status }: JobObject): Ended | undefined {
  const ended = status?.conditions?.find(
    ({ type, status }) =>
      status === "True" && (type === "Complete" || type === "Failed"),
  );
  return ended?.type as Ended | undefined;
}

/**
 * Deletes the oldest of the given Jobs until `limit` are left. Without a limit,
 * all are kept.
 */
export async function dropHistory(
  jobs: readonly JobObject[],
  ended: Ended,
  limit: number | undefined,
  { client, log }: ReconcileContext,
): Promise<void> {
  const begin = ({ status }: JobObject): string =>
    String(status?.startTime ?? "");
  const oldest = jobs
    .filter((job) => endOf(job) === ended)
    .sort((a, b) => begin(a).localeCompare(begin(b)));
  for (const job of oldest.slice(
    0,
    Math.max(0, oldest.length - (limit ?? oldest.length)),
  )) {
    await client
      .delete(Job, keyOf(job), { propagationPolicy: "Background" })
      .catch(ignoreNotFound);
    log.info({ job: job.metadata.name }, "deleted old job");
  }
}
