import type { V1CronJob, V1Job } from "@kubernetes/client-node/dist/gen/models/all.js";
import type { Kind } from "@kubewright/apimachinery";
import { builtIn, type Model } from "./model.ts";

/** Makes Jobs by a schedule in cron's form. */
export interface CronJob extends Model<V1CronJob, "spec"> {}
/** Kind of {@link CronJob}: `cronjobs` of `batch/v1`, each in a namespace. */
export const CronJob: Kind<CronJob> = builtIn("batch", "v1", "CronJob", "cronjobs", "Namespaced");

/** Runs pods until so many have succeeded. */
export interface Job extends Model<V1Job, "spec"> {}
/** Kind of {@link Job}: `jobs` of `batch/v1`, each in a namespace. */
export const Job: Kind<Job> = builtIn("batch", "v1", "Job", "jobs", "Namespaced");
