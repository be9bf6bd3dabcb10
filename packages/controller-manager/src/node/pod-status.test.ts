import type { Pod } from "@kubewright/client/kinds";
import { FakeClock } from "@kubewright/clock/testing";
import { expect, it } from "vitest";
import { ContainerRun } from "./container-run.ts";
import { podStatus } from "./pod-status.ts";
import { restartsAfter } from "./restart-rules.ts";

const address = { ip: "127.1.0.1", hostIp: "127.0.0.1", startTime: "2026-01-01T00:00:00Z" };

async function statusAfter(restartPolicy: "Always" | "OnFailure" | "Never", exitCode: number) {
  const clock = new FakeClock();
  const pod: Pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "web" },
    spec: { restartPolicy, containers: [{ name: "main", image: "web" }] },
  };
  const restarts = (code: number) => restartsAfter(restartPolicy, { name: "main" }, code);
  const phases = new Set<string | undefined>();
  const runs = new Map<string, ContainerRun>();
  const status = () => podStatus(pod, runs, address, "2026-01-01T00:00:00Z");
  const exit = Promise.withResolvers<number>();
  let starts = 0;
  const start = async () => {
    starts += 1;
    return { exited: starts === 1 ? exit.promise : new Promise<number>(() => {}), stop: async () => exit.resolve(0) };
  };
  runs.set(
    "main",
    new ContainerRun({ clock, restarts, restartCount: 0, start, onChange: () => phases.add(status().phase) }),
  );
  runs.get("main")?.begin();
  await clock.advance(0);
  exit.resolve(exitCode);
  await clock.advance(0);
  return { phases: [...phases], status: status() };
}

it("never calls a pod finished whose containers are started again", async () => {
  const { phases, status } = await statusAfter("Always", 1);
  expect(phases).toEqual(["Running"]);
  expect(status.containerStatuses?.[0]).toMatchObject({
    restartCount: 1,
    ready: true,
    lastState: { terminated: { exitCode: 1 } },
  });
  expect((await statusAfter("OnFailure", 1)).phases).toEqual(["Running"]);
});

it("calls a pod succeeded or failed once its containers have ended for good", async () => {
  expect((await statusAfter("OnFailure", 0)).status.phase).toBe("Succeeded");
  expect((await statusAfter("Never", 0)).status.phase).toBe("Succeeded");
  expect((await statusAfter("Never", 3)).status.phase).toBe("Failed");
});
