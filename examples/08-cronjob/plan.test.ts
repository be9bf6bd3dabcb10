import { Environment } from "@kubewright/envtest";
import { plan } from "@kubewright/simulation/plan";
import { Client } from "kubewright";
import { expect, it } from "vitest";
import { CronJob } from "./api/cron-job.ts";

const metadata = { name: "hello", namespace: "default" };
const container = { name: "hello", image: "busybox:1.28" };
const jobTemplate = {
  spec: {
    template: { spec: { restartPolicy: "OnFailure", containers: [container] } },
  },
};

it("plans the upgrade of a cluster that has only v1", {
  timeout: 120_000,
}, async () => {
  const env = await Environment.start({ crds: [CronJob], inProcess: true });
  const client = new Client({ connection: env.connection() });
  await client.create(CronJob, {
    metadata,
    spec: { schedule: "0 0 1 * *", concurrencyPolicy: "Allow", jobTemplate },
  });
  const schedule = { minute: "30", hour: "2", dayOfMonth: "1" };
  const object = {
    apiVersion: "batch.tutorial.kubewright.dev/v2",
    kind: "CronJob",
    metadata,
    spec: { schedule, jobTemplate },
  };
  const report = await plan(new URL("./main.ts", import.meta.url), {
    connection: client.connection,
    manifests: [{ object, source: "samples/v2.yaml" }],
    signal: new AbortController().signal,
  });
  expect(report.unknown).toEqual([]);
  expect(report.changes).toMatchObject([
    {
      kind: "CronJob",
      name: "hello",
      apiVersion: "batch.tutorial.kubewright.dev/v1",
      fields: expect.arrayContaining([
        { path: "spec.schedule", from: "0 0 1 * *", to: "30 2 1 * *" },
      ]),
    },
    {
      kind: "CustomResourceDefinition",
      cause: "the program's CRDs",
      fields: [{ path: "spec.versions[v2]" }],
    },
  ]);
  await client.close();
  await env.stop();
});
