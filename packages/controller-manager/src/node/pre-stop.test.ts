import type { Pod } from "@kubewright/client/kinds";
import { FakeClock } from "@kubewright/clock/testing";
import { expect, it } from "vitest";
import { ContainerRun } from "./container-run.ts";
import { hookFailure, lingerMs } from "./pre-stop.ts";
import type { ProbeResult } from "./probe.ts";

it("a pod lives as long as its longest hook, limited by its grace period and ignoring ended containers", async () => {
  const clock = new FakeClock();
  const exit = Promise.withResolvers<number>();
  const run = new ContainerRun({
    clock,
    restarts: () => false,
    restartCount: 0,
    start: async () => ({ exited: exit.promise, stop: async () => exit.resolve(0) }),
    onChange: () => {},
  });
  const pod = (preStop: object, deletionGracePeriodSeconds: number): Pod => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "web", deletionGracePeriodSeconds },
    spec: { containers: [{ name: "main", image: "web", lifecycle: { preStop } }] },
  });
  const runs = new Map([["main", run]]);
  const linger = (preStop: object, grace: number) => lingerMs(pod(preStop, grace), runs);

  run.begin();
  await clock.advance(0);
  expect(linger({ sleep: { seconds: 5 } }, 30)).toBe(5_000);
  expect(linger({ sleep: { seconds: 5 } }, 2)).toBe(2_000);
  expect(linger({ exec: { command: ["sh", "-c", "sleep 7"] } }, 30)).toBe(7_000);
  expect(linger({ httpGet: { port: 80 } }, 30)).toBe(0);

  exit.resolve(0);
  await clock.advance(0);
  expect(linger({ sleep: { seconds: 5 } }, 30)).toBe(0);
});

it("a hook sends its request through the container's runner", async () => {
  const { signal } = new AbortController();
  const running = (result: ProbeResult) => ({
    exited: new Promise<number>(() => {}),
    stop: async () => {},
    probe: async ({ httpGet }: object & { httpGet?: unknown }) => (httpGet ? result : { isGood: true }),
  });
  const hook = { httpGet: { port: 80, path: "/end" } };
  const bad = { isGood: false, message: "HTTP probe failed with statuscode: 500" };
  expect(await hookFailure(hook, running(bad), signal)).toBe("HTTP probe failed with statuscode: 500");
  expect(await hookFailure(hook, running({ isGood: true }), signal)).toBeUndefined();
  expect(await hookFailure({ exec: { command: ["x"] } }, running(bad), signal)).toBeUndefined();
  expect(await hookFailure(hook, undefined, signal)).toBeUndefined();
});
