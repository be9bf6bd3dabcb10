import type { V1CronJob, V1Job } from "@kubernetes/client-node/dist/gen/models/all.js";
import type { Kind } from "@kubewright/apimachinery";
import { builtIn, type Model } from "./model.ts";

/** Creates Jobs on a cron schedule. */
export interface CronJob extends Model<V1CronJob, "spec"> {}
/** The kind {@link CronJob}: resource `cronjobs` of `batch/v1`, namespaced. */
export const CronJob: Kind<CronJob> = builtIn("batch", "v1", "CronJob", "cronjobs", "Namespaced");

/** Runs pods until a given number of them have succeeded. */
export interface Job extends Model<V1Job, "spec"> {}
/** The kind {@link Job}: resource `jobs` of `batch/v1`, namespaced. */
export const Job: Kind<Job> = builtIn("batch", "v1", "Job", "jobs", "Namespaced");
