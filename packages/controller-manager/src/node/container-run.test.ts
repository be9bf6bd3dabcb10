import { FakeClock } from "@kubewright/clock/testing";
import { describe, expect, it } from "vitest";
import { ContainerRun } from "./container-run.ts";
import type { RunningContainer } from "./image-registry.ts";

function crashable() {
  const starts: PromiseWithResolvers<number>[] = [];
  const start = async (): Promise<RunningContainer> => {
    const exit = Promise.withResolvers<number>();
    starts.push(exit);
    return { exited: exit.promise, stop: async () => exit.resolve(137) };
  };
  return { starts, start, exit: (code: number) => starts.at(-1)?.resolve(code) };
}

describe("a container", () => {
  it("is restarted at once after its first end, and then after growing delays", async () => {
    const clock = new FakeClock();
    const { start, starts, exit } = crashable();
    const run = new ContainerRun({ clock, restarts: () => true, restartCount: 0, start, onChange: () => {} });
    run.begin();
    await clock.advance(0);
    expect(run.state.phase).toBe("running");

    exit(1);
    await clock.advance(0);
    expect(run.state.phase).toBe("running");
    expect(run.restartCount).toBe(1);
    expect(run.last?.exitCode).toBe(1);

    exit(1);
    await clock.advance(999);
    expect(run.state).toMatchObject({ phase: "waiting", reason: "CrashLoopBackOff" });
    await clock.advance(1);
    expect(run.state.phase).toBe("running");
    expect(starts).toHaveLength(3);
    await run.end();
  });

  it("is not restarted if the restart policy forbids it", async () => {
    const clock = new FakeClock();
    const { start, exit } = crashable();
    const run = new ContainerRun({ clock, restarts: (code) => code !== 0, restartCount: 0, start, onChange: () => {} });
    run.begin();
    await clock.advance(0);
    exit(0);
    await clock.advance(60_000);
    expect(run.state).toMatchObject({ phase: "terminated", exitCode: 0 });
    expect(run.restartCount).toBe(0);
  });

  it("that cannot start is retried, and reports the reason", async () => {
    const clock = new FakeClock();
    let tries = 0;
    const { start } = crashable();
    const flaky = async (): Promise<RunningContainer> => {
      if (tries++ === 0) throw new Error("port 8443 is taken");
      return start();
    };
    const run = new ContainerRun({ clock, restarts: () => true, restartCount: 0, start: flaky, onChange: () => {} });
    run.begin();
    await clock.advance(0);
    expect(run.state).toMatchObject({
      phase: "waiting",
      reason: "CreateContainerError",
      message: "port 8443 is taken",
    });
    await clock.advance(1_000);
    expect(run.state.phase).toBe("running");
    await run.end();
  });

  it("that is stopped while it starts reports its own exit code", async () => {
    const clock = new FakeClock();
    const started = Promise.withResolvers<RunningContainer>();
    const exit = Promise.withResolvers<number>();
    const start = () => started.promise;
    const run = new ContainerRun({ clock, restarts: () => false, restartCount: 0, start, onChange: () => {} });
    run.begin();
    const ended = run.end();
    started.resolve({ exited: exit.promise, stop: async () => exit.resolve(137) });
    await ended;
    expect(run.state).toMatchObject({ phase: "terminated", exitCode: 137 });
  });
});
