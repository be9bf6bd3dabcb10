import { isDeepStrictEqual } from "node:util";
import {
  byKey,
  controllerOf,
  type DeepReadonly,
  ignoreAlreadyExists,
  ignoreNotFound,
  keyOf,
  mutableCopy,
  quote,
} from "@kubewright/apimachinery";
import { CronJob, Job } from "@kubewright/client/kinds";
import { type Clock, rfc3339 } from "@kubewright/clock";
import { asReconciler, type ReconcileContext } from "@kubewright/controller";
import { parseSchedule, type Schedule, ScheduleError } from "@kubewright/kube-apiserver/cron";
import { isJobFinished } from "../job/job-status.ts";
import type { AddController } from "../parts/controller-parts.ts";
import { ignoreGone, isNamespaceTerminating } from "../workload/ignore-gone.ts";
import { controllerReference } from "../workload/pod-from-template.ts";

type Jobs = readonly DeepReadonly<Job>[];
type Status = NonNullable<CronJob["status"]>;

/** Maximum number of missed start times that are counted individually. */
const maxMissed = 100;

/** Creates Jobs according to the schedules of CronJobs. @see kubernetes pkg/controller/cronjob */
export const addCronJobController: AddController = ({ controller, clock }) => {
  controller("cronjob-controller")
    .for(CronJob)
    .owns(Job)
    .complete(
      asReconciler(CronJob, async (cronJob, context) => {
        if (cronJob.metadata.deletionTimestamp !== undefined) return undefined;
        const all = await context.client.list(Job, { namespace: cronJob.metadata.namespace });
        const jobs = all.filter((job) => controllerOf(job)?.uid === cronJob.metadata.uid).sort(byKey);
        await dropHistory(cronJob, jobs, context);
        return new CronSync(cronJob, jobs, context, clock).run();
      }),
    );
};

async function dropHistory({ spec }: DeepReadonly<CronJob>, jobs: Jobs, { client }: ReconcileContext): Promise<void> {
  const drop = async (type: "Complete" | "Failed", limit: number): Promise<void> => {
    const ended = jobs.filter(({ status }) =>
      status?.conditions?.some((each) => each.type === type && each.status === "True"),
    );
    const oldest = ended.toSorted((a, b) => (a.status?.startTime ?? "").localeCompare(b.status?.startTime ?? ""));
    for (const job of oldest.slice(0, Math.max(0, oldest.length - limit)))
      await client.delete(Job, keyOf(job), { propagationPolicy: "Background" }).catch(ignoreNotFound);
  };
  await drop("Complete", spec.successfulJobsHistoryLimit ?? 3);
  await drop("Failed", spec.failedJobsHistoryLimit ?? 1);
}

class CronSync {
  readonly #cronJob: DeepReadonly<CronJob>;
  readonly #context: ReconcileContext;
  readonly #clock: Clock;
  #active: Jobs;
  readonly #status: Status;

  constructor(cronJob: DeepReadonly<CronJob>, jobs: Jobs, context: ReconcileContext, clock: Clock) {
    this.#cronJob = cronJob;
    this.#context = context;
    this.#clock = clock;
    this.#active = jobs.filter((job) => !isJobFinished(job));
    this.#status = mutableCopy(cronJob.status) ?? {};
    const known = new Set((cronJob.status?.active ?? []).map(({ uid }) => uid));
    for (const job of jobs) if (isJobFinished(job) && known.has(job.metadata.uid)) this.#sawFinished(job);
  }

  async run(): Promise<{ requeueAfterMs: number } | undefined> {
    const { schedule: text, timeZone } = this.#cronJob.spec;
    let schedule: Schedule;
    try {
      schedule = parseSchedule(text, timeZone);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      const [reason, note] =
        error instanceof ScheduleError
          ? ["UnparseableSchedule", `unparseable schedule: ${quote(text)} : ${why}`]
          : ["UnknownTimeZone", `invalid timeZone: ${quote(timeZone ?? "")}: ${why}`];
      this.#context.recorder.event(this.#cronJob, { type: "Warning", reason, note });
      return undefined;
    }
    if (!this.#cronJob.spec.suspend) await this.#startDue(schedule);
    await this.#write();
    const next = this.#cronJob.spec.suspend ? undefined : schedule.next(this.#clock.now());
    return next === undefined ? undefined : { requeueAfterMs: Math.max(1, next - this.#clock.now()) };
  }

  async #startDue(schedule: Schedule): Promise<void> {
    const { startingDeadlineSeconds, concurrencyPolicy } = this.#cronJob.spec;
    const now = this.#clock.now();
    const due = this.#lastDue(schedule, now);
    if (due === undefined) return;
    if (startingDeadlineSeconds !== undefined && due + Number(startingDeadlineSeconds) * 1_000 < now) {
      const note = `Missed scheduled time to start a job: ${new Date(due).toUTCString()}`;
      this.#context.recorder.event(this.#cronJob, { type: "Warning", reason: "MissSchedule", note });
      return;
    }
    if (concurrencyPolicy === "Forbid" && this.#active.length > 0) {
      const note = "Not starting job because prior execution is still running and concurrency policy is Forbid";
      this.#context.recorder.event(this.#cronJob, { reason: "JobAlreadyActive", note });
      return;
    }
    if (concurrencyPolicy === "Replace") {
      for (const job of this.#active) {
        await this.#context.client.delete(Job, keyOf(job), { propagationPolicy: "Background" }).catch(ignoreNotFound);
        this.#context.recorder.event(this.#cronJob, {
          reason: "SuccessfulDelete",
          note: `Deleted job ${job.metadata.name}`,
        });
      }
      this.#active = [];
    }
    await this.#start(due);
  }

  /** Returns the most recent time at which a job was due, but had not been started yet. */
  #lastDue(schedule: Schedule, now: number): number | undefined {
    const { metadata, status, spec } = this.#cronJob;
    const since = Date.parse(status?.lastScheduleTime ?? metadata.creationTimestamp ?? "") || now;
    const deadline =
      spec.startingDeadlineSeconds === undefined ? 0 : now - Number(spec.startingDeadlineSeconds) * 1_000;
    let last: number | undefined;
    let from = Math.max(since, deadline);
    for (let missed = 0; ; missed++) {
      const next = schedule.next(from);
      if (next === undefined || next > now) return last;
      last = next;
      from = missed < maxMissed ? next : Math.max(next, now - (now - next) / 2);
    }
  }

  async #start(due: number): Promise<void> {
    const { client, recorder } = this.#context;
    const { metadata, spec } = this.#cronJob;
    const template = spec.jobTemplate;
    const name = `${metadata.name}-${Math.floor(due / 60_000)}`;
    try {
      const job = await client
        .create(Job, {
          metadata: {
            name,
            namespace: metadata.namespace ?? "",
            labels: { ...template.metadata?.labels },
            annotations: {
              ...template.metadata?.annotations,
              "batch.kubernetes.io/cronjob-scheduled-timestamp": rfc3339(due),
            },
            ownerReferences: [controllerReference(CronJob, this.#cronJob)],
          },
          spec: template.spec ?? { template: {} },
        })
        .catch(ignoreAlreadyExists);
      if (job) {
        recorder.event(this.#cronJob, { reason: "SuccessfulCreate", note: `Created job ${name}` });
        this.#active = [...this.#active, job];
      }
      this.#status.lastScheduleTime = rfc3339(due) as NonNullable<Status["lastScheduleTime"]>;
    } catch (error) {
      if (isNamespaceTerminating(error)) return;
      const note = `Error creating job: ${error instanceof Error ? error.message : error}`;
      recorder.event(this.#cronJob, { type: "Warning", reason: "FailedCreate", note });
      throw error;
    }
  }

  #sawFinished({ metadata, status }: DeepReadonly<Job>): void {
    const ended = status?.conditions?.find(
      (each) => each.status === "True" && (each.type === "Complete" || each.type === "Failed"),
    );
    const note = `Saw completed job: ${metadata.name}, condition: ${ended?.type}`;
    this.#context.recorder.event(this.#cronJob, { reason: "SawCompletedJob", note });
    const at = status?.completionTime;
    if (ended?.type === "Complete" && at && at > (this.#status.lastSuccessfulTime ?? ""))
      this.#status.lastSuccessfulTime = at;
  }

  async #write(): Promise<void> {
    const active = this.#active.map(({ metadata }) => ({
      apiVersion: "batch/v1",
      kind: "Job",
      name: metadata.name,
      namespace: metadata.namespace ?? "",
      uid: metadata.uid ?? "",
      resourceVersion: metadata.resourceVersion ?? "",
    }));
    const known = new Map((this.#cronJob.status?.active ?? []).map((each) => [each.uid, each]));
    const kept = active.map((each) => known.get(each.uid) ?? each);
    if (kept.length > 0) this.#status.active = kept as NonNullable<Status["active"]>;
    else delete this.#status.active;
    if (isDeepStrictEqual(plain(this.#status), plain(this.#cronJob.status ?? {}))) return;
    const next = { ...mutableCopy(this.#cronJob), status: this.#status };
    await this.#context.client.status.update(CronJob, next).catch(ignoreGone);
  }
}

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
