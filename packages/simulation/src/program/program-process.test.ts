import { channel } from "node:diagnostics_channel";
import { expect, it } from "vitest";
import { Random } from "../time/random.ts";
import { replaceGlobals } from "../time/replace-globals.ts";
import { VirtualTime } from "../time/virtual-time.ts";
import type { AuthorModules } from "./author-modules.ts";
import { ProgramProcess } from "./program-process.ts";

it("asks managers on the virtual clock of their process", async () => {
  const restore = replaceGlobals();
  try {
    const time = new VirtualTime();
    const main = (): void => channel("kubewright.manager.run").publish({ name: "manager" });
    const process = await ProgramProcess.start({
      name: "program 1",
      modules: { load: async () => ({ main }) } as unknown as AuthorModules, // nothing else of it is used
      time,
      random: new Random("1"),
      connect: () => async () => ({ status: 404, headers: {}, body: (async function* () {})() }),
      isElected: false,
    });
    await time.advance(5);
    expect(process.askManagers(() => [performance.now(), Date.now()])).toEqual([[5, time.nowMs]]);
    expect(performance.now()).toBeGreaterThan(5);
  } finally {
    restore();
  }
});
