import { Environment } from "@kubewright/envtest";
import { Client, isInvalid, Manager, silentLogger } from "kubewright";
import { afterAll, beforeAll, expect, it } from "vitest";
import { CronJob } from "../api/cron-job.ts";
import { CronJobV2 } from "../api/cron-job-v2.ts";
import { add } from "./cron-job.ts";
import {
  add as addConversion,
  CronJobVersions,
} from "./cron-job-conversion.ts";

let env: Environment;
let client: Client;
let running: Promise<void>;
const stop = new AbortController();

beforeAll(async () => {
  env = await Environment.start({ crds: [CronJobVersions] });
  client = new Client({ connection: env.connection() });
  const options = {
    metrics: { bindAddress: "0" },
    webhooks: env.webhookOptions(),
    logger: silentLogger,
  };
  const manager = new Manager({ connection: env.connection(), ...options });
  add(manager);
  addConversion(manager);
  running = manager.run(stop.signal);
  await env.serve(manager); // until the API server calls it
});
afterAll(async () => {
  stop.abort();
  await running;
  await client.close();
  await env.stop();
});

const containers = [{ name: "hello", image: "busybox:1.28" }];
const jobTemplate = { spec: { template: { spec: { containers } } } };
const create = (name: string, schedule: string) => {
  const spec = { schedule, concurrencyPolicy: "Allow", jobTemplate } as const;
  return client.create(CronJob, {
    metadata: { name, namespace: "default" },
    spec,
  });
};

it("fills in fields that a Job requires", async () => {
  const { spec } = (await create("hourly", "0 * * * *")).spec.jobTemplate.spec
    .template;
  expect(spec?.restartPolicy).toBe("OnFailure");
});

it("refuses schedules that are never due, and names that are too long", async () => {
  await expect(create("late", "0 25 * * *")).rejects.toSatisfy(isInvalid);
  await expect(create("late", "0 25 * * *")).rejects.toThrow(
    'spec.schedule: Invalid value: "0 25 * * *"',
  );
  await expect(create("x".repeat(53), "0 * * * *")).rejects.toThrow(
    "must be no more than 52 characters",
  );
});

it("is called for objects in v2 as for those in v1", async () => {
  const schedule = {
    minute: "0",
    hour: "25",
    dayOfMonth: "*",
    month: "*",
    dayOfWeek: "*",
  };
  const spec = { schedule, concurrencyPolicy: "Allow", jobTemplate } as const;
  const late = client.create(CronJobV2, {
    metadata: { name: "late", namespace: "default" },
    spec,
  });
  await expect(late).rejects.toThrow(
    'spec.schedule: Invalid value: "0 25 * * *"',
  );
});
