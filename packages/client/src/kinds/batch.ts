import type { V1CronJob, V1Job } from "@kubernetes/client-node/dist/gen/models/all.js";
import type { Kind } from "@kubewright/apimachinery";
import { builtIn, type Model } from "./model.ts";

export interface CronJob extends Model<V1CronJob, "spec"> {}
export const CronJob: Kind<CronJob> = builtIn("batch", "v1", "CronJob", "cronjobs", "Namespaced");

export interface Job extends Model<V1Job, "spec"> {}
export const Job: Kind<Job> = builtIn("batch", "v1", "Job", "jobs", "Namespaced");
