import { simulate } from "@kubewright/simulation";
import { expect, it } from "vitest";
import { CronJob } from "./api/cron-job.ts";

const container = { name: "hello", image: "busybox:1.28" };
const jobTemplate = {
  spec: {
    template: { spec: { restartPolicy: "OnFailure", containers: [container] } },
  },
};

it("survives the faults of production", { timeout: 900_000 }, async () => {
  const program = new URL("./main.ts", import.meta.url);
  const { failure } = await simulate(program, {
    kinds: [CronJob],
    seed: 1,
    // Monthly, so that no Job is due while the world must be quiet.
    users: { CronJob: { spec: { schedule: "0 0 1 * *", jobTemplate } } },
    constant: { CronJob: ["spec.schedule", "spec.jobTemplate.spec"] },
  });
  expect(failure).toBeUndefined();
});
