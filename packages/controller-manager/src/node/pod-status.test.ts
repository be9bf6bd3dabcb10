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

it("never reports a pod as finished whose containers are restarted", async () => {
  const { phases, status } = await statusAfter("Always", 1);
  expect(phases).toEqual(["Running"]);
  expect(status.containerStatuses?.[0]).toMatchObject({
    restartCount: 1,
    ready: true,
    lastState: { terminated: { exitCode: 1 } },
  });
  expect((await statusAfter("OnFailure", 1)).phases).toEqual(["Running"]);
});

it("reports a pod as succeeded or failed once its containers have ended for good", async () => {
  expect((await statusAfter("OnFailure", 0)).status.phase).toBe("Succeeded");
  expect((await statusAfter("Never", 0)).status.phase).toBe("Succeeded");
  expect((await statusAfter("Never", 3)).status.phase).toBe("Failed");
});

it("shows the resources of created containers, and their allocation", async () => {
  const resources = { requests: { cpu: "100m" }, limits: { cpu: "200m" } };
  const pod: Pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "web" },
    spec: {
      initContainers: [{ name: "init", image: "web", resources: { limits: { memory: "1Gi" } } }],
      containers: [
        { name: "main", image: "web", resources },
        { name: "none", image: "web" },
        { name: "waiting", image: "web", resources },
      ],
    },
  };
  const clock = new FakeClock();
  const begun = (exited: Promise<number>) => {
    const start = async () => ({ exited, stop: async () => {} });
    const run = new ContainerRun({ clock, restarts: () => false, restartCount: 0, start, onChange: () => {} });
    run.begin();
    return run;
  };
  const forever = new Promise<number>(() => {});
  const runs = new Map([
    ["init", begun(Promise.resolve(0))],
    ["main", begun(forever)],
    ["none", begun(forever)],
  ]);
  await clock.advance(0);
  const status = podStatus(pod, runs, address, address.startTime);
  expect(status.initContainerStatuses?.[0]).toMatchObject({ resources: { limits: { memory: "1Gi" } } });
  expect(status.initContainerStatuses?.[0]).not.toHaveProperty("allocatedResources");
  const [main, none, waiting] = status.containerStatuses ?? [];
  expect(main).toMatchObject({ resources, allocatedResources: { cpu: "100m" } });
  expect(none?.resources).toEqual({});
  expect([waiting?.resources, waiting?.allocatedResources]).toEqual([undefined, undefined]);
});
