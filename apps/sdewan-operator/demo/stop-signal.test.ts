import { FakeClock } from "@kubewright/clock/testing";
import { describe, expect, it } from "vitest";
import { stopSignal } from "./stop-signal.ts";

function start(env: Record<string, string>, ppid = 7, firstCommand = "/sbin/init") {
  const clock = new FakeClock();
  const listeners = new Map<string, () => void>();
  const exits: number[] = [];
  const process = {
    env,
    ppid,
    on: (name: string, listener: () => void) => listeners.set(name, listener),
    exit: (code: number) => void exits.push(code),
  };
  const signal = stopSignal(process, { clock, firstCommand: () => firstCommand });
  return { clock, process, exits, send: (name: string) => listeners.get(name)?.(), signal };
}

describe("stopSignal", () => {
  it.each(["SIGINT", "SIGTERM", "SIGHUP"])("aborts on %s, and ends the process on the second one", (name) => {
    const { signal, send, exits } = start({});
    send(name);
    expect([signal.aborted, exits]).toEqual([true, []]);
    send(name);
    expect(exits).toEqual([1]);
  });

  it("aborts when the shell of npm, which does not forward signals, has ended", async () => {
    const { signal, clock, process } = start({ npm_lifecycle_event: "start" });
    await clock.advance(1_000);
    expect(signal.aborted).toBe(false);
    process.ppid = 1;
    await clock.advance(250);
    expect(signal.aborted).toBe(true);
  });

  it("aborts immediately if npm's shell ended before this process was ready", () => {
    expect(start({ npm_lifecycle_event: "start" }, 1).signal.aborted).toBe(true);
  });

  it.each(["npm start", "/usr/local/bin/node\0/usr/local/lib/node_modules/npm/bin/npm-cli.js\0start"])(
    "continues in a container whose first process is npm: %j",
    async (firstCommand) => {
      const { signal, clock } = start({ npm_lifecycle_event: "start" }, 1, firstCommand);
      await clock.advance(10_000);
      expect(signal.aborted).toBe(false);
    },
  );

  it("ignores its parent process if npm did not start it", async () => {
    const { signal, clock, process } = start({});
    process.ppid = 1;
    await clock.advance(10_000);
    expect(signal.aborted).toBe(false);
    expect(start({}, 1).signal.aborted).toBe(false);
  });
});
