import { ControllerBuilder, controllerManagedBy } from "@kubewright/builder";
import { FakeClock } from "@kubewright/clock/testing";
import { enqueueRequestForObject, funcSource } from "@kubewright/controller";
import { Manager, type ManagerOptions } from "@kubewright/manager";
import { exponentialFailure } from "@kubewright/workqueue";
import { describe, expect, it } from "vitest";
import { recordingLogger } from "../informer/recording-logger.ts";
import { Pod } from "./cached-pods.ts";
import { shownQueue } from "./running-controller.ts";

const managerOf = (options: ManagerOptions = {}) => {
  const clock = new FakeClock();
  const { logger, lines } = recordingLogger();
  const connection = { server: "http://127.0.0.1:1" };
  return {
    manager: new Manager({ connection, metrics: { bindAddress: "0" }, logger, clock, ...options }),
    clock,
    lines,
  };
};
const nothing = (): void => {};

describe("builder", () => {
  it("CT-011 fails if nothing is watched", () => {
    const { manager } = managerOf();
    expect(() => controllerManagedBy(manager).named("idle").complete(nothing)).toThrow(
      "there are no watches configured",
    );
  });

  it("CT-012 requires for(...) in order to own", () => {
    const { manager } = managerOf();
    expect(() => controllerManagedBy(manager).named("owner").owns(Pod).complete(nothing)).toThrow(
      "owns(...) can only be used together with for(...)",
    );
  });

  it("CT-013 works without for(...) if it has a name and something to watch", () => {
    const { manager } = managerOf();
    const watching = () => controllerManagedBy(manager).watches(Pod, enqueueRequestForObject());
    expect(watching().named("watcher").complete(nothing).name).toBe("watcher");
    expect(() => watching().complete(nothing)).toThrow("controller must have a name");
  });

  it("CT-015 names the controller after the kind, in lower case", () => {
    const { manager } = managerOf();
    const kind = { group: "apps", version: "v1", kind: "ReplicaSet" };
    expect(controllerManagedBy(manager).for(kind).complete(nothing).name).toBe("replicaset");
  });

  it("CT-016 accepts requests of another type from raw sources, but not with for(...) and owns(...)", async () => {
    const { manager, clock } = managerOf();
    const sites = ["a", "b"].map((site) => ({ site }));
    const source = funcSource<{ site: string }>(({ queue }) => {
      for (const site of sites) queue.add(site);
    });
    const reconciled: { site: string }[] = [];
    const builder = controllerManagedBy<{ site: string }>(manager);
    expect(builder).toBeInstanceOf(ControllerBuilder);
    // @ts-expect-error keys of objects are not such requests
    expect(builder.for).toBeDefined() ?? builder.for(Pod);
    // @ts-expect-error keys of objects are not such requests
    expect(builder.owns).toBeDefined() ?? builder.owns(Pod);
    const stop = new AbortController();
    const controller = controllerManagedBy<{ site: string }>(manager)
      .named("sites")
      .watchesRawSource(source)
      .complete((request) => void reconciled.push(request));
    const running = controller.run(stop.signal);
    await clock.advance(0);
    expect(reconciled).toEqual(sites);
    stop.abort();
    await running;
  });

  it("CT-018 passes limiter and logger to the controller", async () => {
    const { manager, clock, lines } = managerOf();
    const own = recordingLogger();
    const rateLimiter = exponentialFailure({ baseMs: 3, maxMs: 3 });
    let given: unknown;
    const stop = new AbortController();
    const controller = controllerManagedBy(manager)
      .named("own")
      .watchesRawSource(funcSource(({ queue }) => queue.add("web/a")))
      .withOptions({
        rateLimiter,
        logger: own.logger,
        newQueue: (options) => {
          given = options.rateLimiter;
          return shownQueue().newQueue(options);
        },
      })
      .complete((_request, { log }) => log.info("reconciling"));
    const running = controller.run(stop.signal);
    await clock.advance(0);
    stop.abort();
    await running;
    expect(given).toBe(rateLimiter);
    expect(own.lines).toContainEqual(expect.objectContaining({ msg: "reconciling", controller: "own", name: "a" }));
    expect(lines.filter(({ controller: named }) => named === "own")).toEqual([]);
  });

  it("CT-019 builds several controllers for one kind if their names differ", () => {
    const { manager } = managerOf();
    expect(controllerManagedBy(manager).for(Pod).named("first").complete(nothing).name).toBe("first");
    expect(controllerManagedBy(manager).for(Pod).named("second").complete(nothing).name).toBe("second");
    expect(() => controllerManagedBy(manager).for(Pod).named("second").complete(nothing)).toThrow("already exists");
  });
});
