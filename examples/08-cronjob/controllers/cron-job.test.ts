import { Environment } from "@kubewright/envtest";
import { Client, rfc3339, silentLogger, systemClock } from "kubewright";
import { Job } from "kubewright/kinds";
import { FakeClock, operator } from "kubewright/testing";
import { expect, it } from "vitest";
import { CronJob } from "../api/cron-job.ts";
import { add } from "./cron-job.ts";

const hourMs = 3_600_000;

it("creates a job when it is due", async () => {
  await using env = await Environment.start({ crds: [CronJob] });
  await using client = new Client({ connection: env.connection() });
  // The next full hour.
  const clock = new FakeClock(Math.ceil(systemClock.now() / hourMs) * hourMs);

  const metadata = { name: "hello", namespace: "default" };
  const container = { name: "hello", image: "busybox:1.28" };
  const jobTemplate = {
    spec: {
      template: {
        spec: { restartPolicy: "OnFailure", containers: [container] },
      },
    },
  };
  const spec = {
    schedule: "*/5 * * * *",
    concurrencyPolicy: "Allow",
    jobTemplate,
  } as const;
  const created = await client.create(CronJob, { metadata, spec });
  await client.status.patch(CronJob, created, {
    lastScheduleTime: rfc3339(clock.now()),
  });
  const jobs = async () =>
    (await client.list(Job, { namespace: "default" })).map(
      (job) => job.metadata.name,
    );

  await using running = await operator(env, add, {
    clock,
    metrics: { bindAddress: "0" },
    logger: silentLogger,
  });
  await running.settled();
  expect((await client.get(CronJob, metadata)).status?.active).toEqual([]);
  expect(await jobs()).toEqual([]);

  await clock.advance(300_000);
  await running.settled();
  expect(await jobs()).toEqual([`hello-${clock.now() / 1_000}`]);
});
