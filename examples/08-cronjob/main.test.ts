import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Environment } from "@kubewright/envtest";
import {
  Client,
  createLogger,
  type ObjectOf,
  rfc3339,
  systemClock,
  unstructured,
} from "kubewright";
import { Job } from "kubewright/kinds";
import { FakeClock, operator } from "kubewright/testing";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { CronJob } from "./api/cron-job.ts";
import { CronJobV2 } from "./api/cron-job-v2.ts";
import { setup } from "./main.ts";
import { role } from "./role.ts";
import { CronJobVersions } from "./webhooks/cron-job-conversion.ts";

const minuteMs = 60_000;
const metadata = { name: "hello", namespace: "default" };

/**
 * Runs the program on one CronJob with a fake clock, which starts on a full
 * hour.
 */
async function working(spec: Partial<CronJob["spec"]>) {
  const env = await Environment.start({ crds: [CronJobVersions] });
  const client = new Client({ connection: env.connection() });
  const clock = new FakeClock(
    Math.ceil(systemClock.now() / (60 * minuteMs)) * 60 * minuteMs,
  );
  const container = { name: "hello", image: "busybox:1.28" };
  const jobTemplate = {
    spec: {
      template: {
        spec: { restartPolicy: "OnFailure", containers: [container] },
      },
    },
  };
  const cronJob = await client.create(CronJob, {
    metadata,
    spec: {
      schedule: "*/5 * * * *",
      concurrencyPolicy: "Allow",
      jobTemplate,
      ...spec,
    },
  });
  // Nothing was missed before the start of the test.
  await client.status.patch(CronJob, cronJob, {
    lastScheduleTime: rfc3339(clock.now()),
  });
  const logged: string[] = [];
  const logger = createLogger({
    level: "debug",
    destination: { write: (line: string) => void logged.push(line) },
  });
  const options = {
    metrics: { bindAddress: "0" },
    webhooks: env.webhookOptions(),
    clock,
    logger,
  };
  const running = await operator(env, setup, { ...options, role });
  // The first reconcile happens before the test advances the clock.
  await running.eventually(async () =>
    expect((await client.get(CronJob, metadata)).status?.active).toEqual([]),
  );
  const jobs = () => client.list(Job, { namespace: "default" });
  const names = async () =>
    (await jobs()).map((job) => job.metadata.name).sort();
  const start = clock.now();
  const nameAt = (minutes: number) => `hello-${start / 1_000 + minutes * 60}`;
  const timeAt = (minutes: number) => rfc3339(start + minutes * minuteMs);
  return {
    env,
    manager: running.manager,
    eventually: running.eventually.bind(running),
    client,
    clock,
    jobs,
    names,
    nameAt,
    timeAt,
    logged,
    /** Advances the clock, and makes the controller reconcile. */
    async at(minutes: number) {
      await clock.advance(start + minutes * minuteMs - clock.now());
      await client.patch(CronJob, metadata, {
        metadata: { annotations: { minute: String(minutes) } },
      });
    },
    async [Symbol.asyncDispose]() {
      await running[Symbol.asyncDispose]();
      await client.close();
      await env.stop();
    },
  };
}

async function finish(
  client: Client,
  job: ObjectOf<typeof Job>,
  type: "Complete" | "Failed",
): Promise<void> {
  const time =
    job.metadata.annotations?.["batch.tutorial.kubewright.dev/scheduled-at"];
  const condition = {
    type: type === "Complete" ? "SuccessCriteriaMet" : "FailureTarget",
    status: "True",
  };
  const ended = type === "Complete" ? { completionTime: time } : {};
  const last = { type, status: "True", lastTransitionTime: time };
  const { minor } = await client.discovery.serverVersion();
  // Kubernetes 1.30 does not have the first condition.
  const conditions = minor === "30" ? [last] : [condition, last];
  await client.status.patch(Job, job, {
    startTime: time,
    conditions,
    ...ended,
  } as never);
}

const active = async (program: Awaited<ReturnType<typeof working>>) =>
  ((await program.client.get(CronJob, metadata)).status?.active ?? []).map(
    ({ name }) => name,
  );

it("creates a job when it is due, by the clock alone, and reports active jobs", async () => {
  await using program = await working({});
  const first = [program.nameAt(5)];
  await program.at(5);
  await program.eventually(async () =>
    expect(await program.names()).toEqual(first),
  );
  await program.eventually(async () =>
    expect(await active(program)).toEqual(first),
  );
  const [job] = await program.jobs();
  expect(job?.metadata.ownerReferences).toMatchObject([
    { kind: "CronJob", name: "hello", controller: true },
  ]);

  await program.clock.advance(5 * minuteMs);
  await program.eventually(async () =>
    expect(await program.names()).toEqual(
      [...first, program.nameAt(10)].sort(),
    ),
  );
  const { lastScheduleTime } =
    (await program.client.get(CronJob, metadata)).status ?? {};
  expect([program.timeAt(5), program.timeAt(10)]).toContain(lastScheduleTime);
});

it("starts no job while another one is active, if forbidden", async () => {
  await using program = await working({ concurrencyPolicy: "Forbid" });
  await program.at(5);
  await program.eventually(async () =>
    expect(await active(program)).toEqual([program.nameAt(5)]),
  );
  await program.at(10);
  await program.eventually(async () =>
    expect(program.logged.join("")).toContain(
      "not started: another job is active",
    ),
  );
  expect(await program.names()).toEqual([program.nameAt(5)]);

  for (const job of await program.jobs())
    await finish(program.client, job, "Complete");
  await program.eventually(async () =>
    expect(await program.names()).toContain(program.nameAt(10)),
  );
});

it("replaces the active job on request", async () => {
  await using program = await working({ concurrencyPolicy: "Replace" });
  await program.at(5);
  await program.eventually(async () =>
    expect(await active(program)).toEqual([program.nameAt(5)]),
  );
  await program.at(10);
  await program.eventually(async () =>
    expect(await program.names()).toEqual([program.nameAt(10)]),
  );
});

it("skips a start that is too late, and makes the last one of those that it missed", async () => {
  await using program = await working({
    schedule: "0 * * * *",
    startingDeadlineSeconds: 30,
    suspend: true,
  });
  await program.at(60.75);
  await program.eventually(async () =>
    expect(
      (await program.client.get(CronJob, metadata)).status?.active,
    ).toEqual([]),
  );
  await program.client.patch(CronJob, metadata, { spec: { suspend: false } });
  await program.at(120.25);
  await program.eventually(async () =>
    expect(await program.names()).toEqual([program.nameAt(120)]),
  );
});

it("gives up on a schedule with too many missed starts", async () => {
  await using program = await working({ schedule: "* * * * *", suspend: true });
  await program.at(101);
  await program.client.patch(CronJob, metadata, { spec: { suspend: false } });
  await program.eventually(async () =>
    expect(program.logged.join("")).toContain(
      "more than 100 starts were missed",
    ),
  );
  expect(await program.names()).toEqual([]);
});

it("keeps the configured number of old jobs", async () => {
  await using program = await working({
    successfulJobsHistoryLimit: 1,
    failedJobsHistoryLimit: 0,
  });
  for (const [minutes, ended] of [
    [5, "Failed"],
    [10, "Complete"],
    [15, "Complete"],
  ] as const) {
    await program.at(minutes);
    const name = program.nameAt(minutes);
    const job = await program.eventually(() =>
      program.client.get(Job, { namespace: "default", name }),
    );
    await finish(program.client, job, ended);
  }
  await program.eventually(async () =>
    expect(await program.names()).toEqual([program.nameAt(15)]),
  );
});

it("can be written and read in both versions, and works for both", async () => {
  await using program = await working({});
  const { client, env, manager } = program;
  await using _ = await env.serve(manager);
  const hello = await client.get(CronJobV2, metadata);
  expect(hello.apiVersion).toBe("batch.tutorial.kubewright.dev/v2");
  const always = { hour: "*", dayOfMonth: "*", month: "*", dayOfWeek: "*" };
  expect(hello.spec.schedule).toEqual({ ...always, minute: "*/5" });

  const night = { namespace: "default", name: "night" };
  const { concurrencyPolicy, jobTemplate } = hello.spec;
  const schedule = { ...always, minute: "30", hour: "2" };
  await client.create(CronJobV2, {
    metadata: night,
    spec: { schedule, concurrencyPolicy, jobTemplate },
  });
  expect((await client.get(CronJob, night)).spec.schedule).toBe("30 2 * * *");
  await client.patch(CronJob, night, { spec: { schedule: "15 3 * * *" } });
  expect((await client.get(CronJobV2, night)).spec.schedule).toMatchObject({
    minute: "15",
    hour: "3",
  });
  expect(
    (await client.list(CronJobV2, { namespace: "default" })).map(
      ({ spec }) => spec.schedule.minute,
    ),
  ).toEqual(["*/5", "15"]);

  await client.patch(CronJobV2, metadata, {
    spec: { schedule: { minute: "*/10" } },
  });
  await program.at(10);
  await program.eventually(async () =>
    expect(await program.names()).toEqual([program.nameAt(10)]),
  );
  await program.eventually(async () => {
    const { status } = await client.get(CronJobV2, metadata);
    expect(status?.active).toMatchObject([{ name: program.nameAt(10) }]);
  });
});

it("accepts the samples, each in its version", async () => {
  await using program = await working({});
  const { client, env, manager } = program;
  await using _ = await env.serve(manager);
  await client.delete(CronJob, metadata);
  for (const version of ["v1", "v2"]) {
    const object = parse(
      readFileSync(
        join(import.meta.dirname, "samples", `${version}.yaml`),
        "utf8",
      ),
    );
    await client.create(unstructured(object), object);
  }
  const schedules = (await client.list(CronJob, { namespace: "default" })).map(
    ({ spec }) => spec.schedule,
  );
  expect(schedules).toEqual(["* * * * *", "30 2 * * *"]);
});
