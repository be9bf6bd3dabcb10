import { expect, it } from "vitest";
import { type LoggedRemote, TunnelLog } from "./tunnel-log.ts";
import type { Tunnels } from "./tunnels.ts";

const remotes: readonly LoggedRemote[] = [
  {
    uid: "r",
    connections: [
      { name: "named", mode: "start", localSubnet: "10.0.0.0/16", remoteSubnet: "10.1.0.0/16" },
      { name: "vague", mode: "start", localSubnet: "", remoteSubnet: "10.2.0.0/16" },
      { name: "later", mode: "route", localSubnet: "", remoteSubnet: "" },
    ],
  },
];
const tunnels = (up: number, ...selectors: string[]): Tunnels => ({
  up,
  connecting: 0,
  selectors: new Set(selectors),
  isComplete: true,
});

it("distinguishes up from down as far as a CNF reports it, with the time of the change", () => {
  const log = new TunnelLog();
  const states = () => ["named", "vague", "later"].map((name) => log.find("p", "r", name));
  expect(states()).toEqual([undefined, undefined, undefined]);
  log.note("p", remotes, tunnels(2), 2, 1_000);
  expect(states()).toEqual([
    { state: "up", sinceMs: 1_000 },
    { state: "up", sinceMs: 1_000 },
    { state: "waits", sinceMs: 1_000 },
  ]);
  log.note("p", remotes, tunnels(1, "10.0.0.0/16 === 10.1.0.0/16"), 2, 2_000);
  expect(states()).toEqual([
    { state: "up", sinceMs: 1_000 },
    { state: "unclear", sinceMs: 2_000 },
    { state: "waits", sinceMs: 1_000 },
  ]);
  log.note("p", remotes, tunnels(0), 2, 3_000);
  expect(states().map((known) => known?.state)).toEqual(["down", "down", "waits"]);
});

it("drops deleted pods and resources", () => {
  const log = new TunnelLog();
  log.note("p", remotes, tunnels(2), 2, 1_000);
  log.note("p", [], tunnels(0), 0, 2_000);
  expect(log.find("p", "r", "named")).toBeUndefined();
  log.note("p", remotes, tunnels(2), 2, 3_000);
  log.keep(new Set(["q"]));
  expect(log.find("p", "r", "named")).toBeUndefined();
});
