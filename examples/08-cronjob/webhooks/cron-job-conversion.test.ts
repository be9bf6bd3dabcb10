import { Environment } from "@kubewright/envtest";
import { roundTrips } from "@kubewright/webhook/testing";
import { Client, isInvalid } from "kubewright";
import { expect, it } from "vitest";
import { CronJob } from "../api/cron-job.ts";
import { CronJobV2 } from "../api/cron-job-v2.ts";
import { CronJobVersions } from "./cron-job-conversion.ts";

const jobTemplate = {
  spec: {
    template: {
      spec: {
        restartPolicy: "OnFailure",
        containers: [{ name: "hello", image: "busybox:1.28" }],
      },
    },
  },
};
const metadata = { name: "hello", namespace: "default" };

// #region round-trips
it("loses nothing between its versions", () => {
  roundTrips(CronJobVersions);
});
// #endregion round-trips

it("has a schedule in one line in v1, and in separate fields in v2", () => {
  const v1 = CronJob.parse({
    metadata,
    spec: { schedule: "*/5 8-17 * * MON", jobTemplate },
  });
  const v2 = CronJobVersions.convert(v1, CronJobV2);
  expect(v2).toMatchObject({
    apiVersion: "batch.tutorial.kubewright.dev/v2",
    spec: {
      schedule: {
        minute: "*/5",
        hour: "8-17",
        dayOfMonth: "*",
        month: "*",
        dayOfWeek: "MON",
      },
      concurrencyPolicy: "Allow",
      jobTemplate,
    },
  });
  expect(v2.spec.schedule.hour).toBe("8-17");
  expect(CronJobVersions.convert(v2, CronJob)).toEqual(v1);
});

it("has a valid definition that refuses invalid schedules", async () => {
  await using env = await Environment.start({ crds: [CronJobVersions] });
  await using client = new Client({ connection: env.connection() });
  const create = (schedule: string) =>
    client.create(CronJob, {
      metadata,
      spec: { schedule, concurrencyPolicy: "Forbid", jobTemplate },
    });

  await expect(create("every minute")).rejects.toSatisfy(isInvalid);
  expect((await create("*/5 * * * *")).spec.schedule).toBe("*/5 * * * *");

  const hours = { minute: "0", hour: "*", month: "*" };
  const spec = {
    schedule: { ...hours, dayOfMonth: "1", dayOfWeek: "MON" },
    concurrencyPolicy: "Allow",
    jobTemplate,
  } as const;
  await expect(
    client.create(CronJobV2, { metadata: { ...metadata, name: "both" }, spec }),
  ).rejects.toThrow(
    /spec\.schedule: Invalid value: .*set dayOfMonth or dayOfWeek/,
  );
});
