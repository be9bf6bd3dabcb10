import { parseSchedule } from "@kubewright/kube-apiserver/cron";
import {
  asReconciler,
  byKey,
  controllerManagedBy,
  controllerOf,
  controllerReference,
  type DeepReadonly,
  ignoreAlreadyExists,
  ignoreNotFound,
  keyOf,
  type Manager,
  type ReconcileContext,
  rfc3339,
  TerminalError,
} from "kubewright";
import { Job } from "kubewright/kinds";
import { CronJob } from "../api/cron-job.ts";
import { dropHistory, endOf, type JobObject } from "../jobs/history.ts";

const byOwner = "owner";
const scheduledAt = "batch.tutorial.kubewright.dev/scheduled-at";
/**
 * Maximum number of missed starts that are counted. If there are more, the
 * clock was changed, or the controller was down for a long time.
 */
const maxMissed = 100;

/** Adds a controller that creates Jobs when they are due. */
export function add(manager: Manager): void {
  // #region reconcile
  const reconcile = asReconciler(CronJob, async (cronJob, context) => {
    const { client, clock, log } = context;
    const { metadata, spec } = cronJob;
    const jobs = await client.list(Job, {
      namespace: metadata.namespace,
      fields: { [byOwner]: metadata.uid },
    });
    const active = await writeStatus(cronJob, jobs, context);
    await dropHistory(
      jobs,
      "Complete",
      spec.successfulJobsHistoryLimit,
      context,
    );
    await dropHistory(jobs, "Failed", spec.failedJobsHistoryLimit, context);
    if (spec.suspend) return undefined;
    const now = clock.now();
    const { missed, next } = timesOf(cronJob, jobs, now);
    const later =
      next === undefined ? undefined : { requeueAfterMs: next - now };
    if (missed === undefined) return later;
    if (spec.concurrencyPolicy === "Forbid" && active.length > 0) {
      log.debug(
        { active: active.length },
        "not started: another job is active",
      );
      return later;
    }
    if (spec.concurrencyPolicy === "Replace")
      for (const job of active)
        await client
          .delete(Job, keyOf(job), { propagationPolicy: "Background" })
          .catch(ignoreNotFound);
    await start(cronJob, missed, context);
    return later;
  });
  // #endregion reconcile
  // #region build
  controllerManagedBy(manager)
    .for(CronJob)
    .owns(Job, {
      indexes: { [byOwner]: (job) => [controllerOf(job)?.uid ?? ""] },
    })
    .needs(Job, ["create", "delete"])
    .complete(reconcile);
  // #endregion build
}

type ReadCronJob = DeepReadonly<CronJob>;
const scheduleOf = ({ metadata }: JobObject): number =>
  Date.parse(metadata.annotations?.[scheduledAt] ?? "") || 0;

// #region times
/**
 * Returns the last start that is due, unless it was already made or is too
 * late, and the next start.
 */
function timesOf(
  cronJob: ReadCronJob,
  jobs: readonly JobObject[],
  now: number,
) {
  const { metadata, status, spec } = cronJob;
  const schedule = parsed(spec.schedule);
  const since = Date.parse(
    status?.lastScheduleTime ?? metadata.creationTimestamp ?? "",
  );
  const begun = Math.max(since, ...jobs.map(scheduleOf));
  const deadline =
    now - (spec.startingDeadlineSeconds ?? Number.POSITIVE_INFINITY) * 1_000;
  const due: number[] = [];
  let next = schedule.next(Math.max(begun, deadline));
  for (; next !== undefined && next <= now; next = schedule.next(next)) {
    if (due.push(next) > maxMissed)
      throw new TerminalError(
        `more than ${maxMissed} starts were missed: set or lower startingDeadlineSeconds`,
      );
  }
  return { missed: due.at(-1), next };
}
// #endregion times

function parsed(text: string) {
  try {
    return parseSchedule(text);
  } catch (cause) {
    throw new TerminalError(
      `spec.schedule: "${text}" is not a valid schedule`,
      { cause },
    ); // retrying does not help
  }
}

// #region start
async function start(
  cronJob: ReadCronJob,
  time: number,
  { client, log }: ReconcileContext,
): Promise<void> {
  const { metadata, spec } = cronJob;
  const { metadata: template, spec: jobSpec } = spec.jobTemplate;
  // The Job is named after its start time, so that no Job is created twice for
  // the same time.
  const name = `${metadata.name}-${Math.floor(time / 1_000)}`;
  const jobMetadata = {
    name,
    namespace: metadata.namespace,
    labels: { ...template?.labels },
    annotations: { ...template?.annotations, [scheduledAt]: rfc3339(time) },
    ownerReferences: [controllerReference(cronJob)],
  };
  await client
    .create(Job, { metadata: jobMetadata, spec: jobSpec })
    .catch(ignoreAlreadyExists);
  log.info({ job: name }, "created job");
}
// #endregion start

// #region status
async function writeStatus(
  cronJob: ReadCronJob,
  jobs: readonly JobObject[],
  { client }: ReconcileContext,
) {
  const active = jobs.filter((job) => endOf(job) === undefined);
  const last = Math.max(
    0,
    Date.parse(cronJob.status?.lastScheduleTime ?? "") || 0,
    ...jobs.map(scheduleOf),
  );
  await client.status.patch(CronJob, cronJob, {
    active: active
      .sort(byKey)
      .map(({ metadata }) => ({ name: metadata.name, uid: metadata.uid })),
    ...(last === 0 ? {} : { lastScheduleTime: rfc3339(last) }),
  });
  return active;
}
// #endregion status
