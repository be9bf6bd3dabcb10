import { FakeClock } from "@kubewright/clock/testing";
import { describe, expect, it } from "vitest";
import { stopSignal } from "./stop-signal.ts";

function start(env: Record<string, string>) {
  const clock = new FakeClock();
  const listeners = new Map<string, () => void>();
  const exits: number[] = [];
  const process = {
    env,
    ppid: 7,
    on: (name: string, listener: () => void) => listeners.set(name, listener),
    exit: (code: number) => void exits.push(code),
  };
  return { clock, process, exits, send: (name: string) => listeners.get(name)?.(), signal: stopSignal(process, clock) };
}

describe("stopSignal", () => {
  it.each(["SIGINT", "SIGTERM", "SIGHUP"])("aborts on %s, and the second one ends the process", (name) => {
    const { signal, send, exits } = start({});
    send(name);
    expect([signal.aborted, exits]).toEqual([true, []]);
    send(name);
    expect(exits).toEqual([1]);
  });

  it("aborts when npm's shell, which passes no signal on, is gone", async () => {
    const { signal, clock, process } = start({ npm_lifecycle_event: "start" });
    await clock.advance(1_000);
    expect(signal.aborted).toBe(false);
    process.ppid = 1;
    await clock.advance(250);
    expect(signal.aborted).toBe(true);
  });

  it("does not care for its parent where npm did not start it", async () => {
    const { signal, clock, process } = start({});
    process.ppid = 1;
    await clock.advance(10_000);
    expect(signal.aborted).toBe(false);
  });
});
