import { FakeClock } from "@kubewright/clock/testing";
import { expect, it } from "vitest";
import { ContainerProbes, type ProbeKind } from "./container-probes.ts";
import type { Probe } from "./probe.ts";

function asked(probes: Partial<Record<ProbeKind, Probe>>) {
  const clock = new FakeClock();
  const good = new Map<Probe | undefined, boolean>();
  const seen: string[] = [];
  const dead: ProbeKind[] = [];
  const container = new ContainerProbes({
    clock,
    probes,
    ask: (probe) => ({ isGood: good.get(probe) ?? true }),
    onResult: (kind) => seen.push(kind),
    onChange: () => {},
    onDead: (kind) => dead.push(kind),
  });
  return { clock, container, dead, seen, output: (kind: ProbeKind, isGood: boolean) => good.set(probes[kind], isGood) };
}

it("is ready after the initial delay, until the failure threshold", async () => {
  const { clock, container, output } = asked({
    readiness: { initialDelaySeconds: 15, periodSeconds: 10, failureThreshold: 2 },
  });
  container.begin();
  await clock.advance(14_999);
  expect(container.isReady).toBe(false);
  await clock.advance(1);
  expect(container.isReady).toBe(true);

  output("readiness", false);
  await clock.advance(10_000);
  expect(container.isReady).toBe(true);
  await clock.advance(10_000);
  expect(container.isReady).toBe(false);
});

it("runs other probes only after startup, and kills a container that does not start", async () => {
  const { clock, container, dead, output } = asked({
    startup: { periodSeconds: 5, failureThreshold: 3 },
    liveness: { periodSeconds: 1, failureThreshold: 1 },
    readiness: {},
  });
  output("startup", false);
  output("liveness", false);
  container.begin();
  await clock.advance(5_000);
  expect([container.isStarted, container.isReady, dead]).toEqual([false, false, []]);

  output("startup", true);
  await clock.advance(5_000);
  expect([container.isStarted, container.isReady]).toEqual([true, true]);
  await clock.advance(1_000);
  expect(dead).toEqual(["liveness"]);

  const other = asked({ startup: { periodSeconds: 5, failureThreshold: 3 } });
  other.output("startup", false);
  other.container.begin();
  await other.clock.advance(10_000);
  expect(other.dead).toEqual(["startup"]);
  expect(other.seen).toHaveLength(3);
});
