import { controllerManagedBy } from "@kubewright/builder";
import { funcSource } from "@kubewright/controller";
import { createLogger } from "@kubewright/log";
import { type SignalSource, signalContext } from "@kubewright/manager";
import { describe, expect, it } from "vitest";
import { pod } from "../controller/cached-pods.ts";
import { recordingLogger } from "../informer/recording-logger.ts";
import { runningManager } from "./running-manager.ts";

describe("signals", () => {
  it("MG-056 ends with the first signal, and the process with the second", () => {
    for (const first of ["SIGINT", "SIGTERM"] as const) {
      const listeners = new Map<string, () => void>();
      const exits: number[] = [];
      const source: SignalSource = {
        on: (signal, listener) => listeners.set(signal, listener),
        exit: (code) => void exits.push(code),
      };
      const signal = signalContext(source);
      expect(signal.aborted).toBe(false);
      listeners.get(first)?.();
      expect([signal.aborted, exits]).toEqual([true, []]);
      listeners.get("SIGTERM")?.();
      expect(exits).toEqual([1]);
    }
    const counts = (): number[] => [process.listeners("SIGINT").length, process.listeners("SIGTERM").length];
    const before = counts();
    signalContext();
    expect(counts()).toEqual(before.map((count) => count + 1));
    expect(() => signalContext()).toThrow("only once");
    for (const signal of ["SIGINT", "SIGTERM"] as const) {
      const added = process.listeners(signal).at(-1);
      if (added) process.removeListener(signal, added);
    }
  });
});

describe("logging", () => {
  it("MG-055 lets controllers log through the manager's logger", async () => {
    const { logger, lines } = recordingLogger();
    const { manager, clock, end } = runningManager({ logger });
    controllerManagedBy(manager)
      .named("site")
      .watchesRawSource(funcSource(({ queue }) => queue.add("web/a")))
      .complete((_request, { log }) => log.info("reconciling"));
    await clock.advance(0);
    expect(lines).toContainEqual(expect.objectContaining({ msg: "reconciling", controller: "site", name: "a" }));
    await end();
  });

  it("keeps names and values of child loggers", () => {
    const written: string[] = [];
    const logger = createLogger({ destination: { write: (line) => void written.push(line) } });
    logger.child({ controller: "site" }).child({ name: "a" }).info("reconciling");
    expect(JSON.parse(written[0] ?? "")).toMatchObject({ controller: "site", name: "a", msg: "reconciling" });
  });
});

describe("recorders", () => {
  it.each(["events.k8s.io/v1", "v1"] as const)(
    "MG-058 leaves nothing running after Events were recorded with %s",
    async (api) => {
      const { manager, clock, end } = runningManager();
      await clock.advance(0);
      const before = clock.waiting;
      for (let count = 0; count < 3; count++)
        manager.recorderFor("test", api).event(pod("a"), { reason: "Testing", note: `event ${count}` });
      await clock.advance(0);
      expect(clock.waiting).toBeGreaterThan(before);
      const ended = end();
      await clock.advance(60_000);
      await ended;
      expect(clock.waiting).toBe(0);
    },
  );
});
