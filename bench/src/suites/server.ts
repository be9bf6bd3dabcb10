import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import type { Bench } from "../bench.ts";
import { type Figures, medianRow, type Row } from "../figures.ts";
import { Load } from "../server/load.ts";
import { cpuSeconds, residentMiB } from "../server/process-usage.ts";
import { availableServers, type ServerName, startServer } from "../server/server-subject.ts";

const real = "kube-apiserver";
const settleMs = 3_000;

/** Compares the embedded API server with kube-apiserver and etcd. All processes of each server count. */
export async function* server(bench: Bench): AsyncGenerator<Figures> {
  if (process.platform !== "linux") {
    bench.print("server: not measured, because it needs /proc");
    return;
  }
  const names = availableServers();
  const takes = new Map<ServerName, Take[]>(names.map((name) => [name, []]));
  for (let round = 0; round < bench.sizes.rounds; round++)
    for (const name of names) takes.get(name)?.push(await take(name, bench));
  const rows = (of: (taken: Take) => readonly number[]): Row[] =>
    names.map((name) => medianRow(name, (takes.get(name) ?? []).map(of)));
  const { serverObjects, serverWatchers } = bench.sizes;
  yield {
    title: `ConfigMaps of 1 KB over TLS, 16 at a time, ${serverObjects.toLocaleString("en-US")} of them`,
    columns: [
      { title: "creates per CPU s", digits: 0 },
      { title: "gets per CPU s", digits: 0 },
      { title: "merge patches per CPU s", digits: 0 },
      { title: "whole lists per CPU s", digits: 1 },
      { title: `events to ${serverWatchers} watchers per CPU s`, digits: 0 },
    ],
    rows: rows(({ creates, gets, patches, lists, events }) => [creates, gets, patches, lists, events]),
    targets: [
      { what: "creates", column: 0, against: real, atLeast: 4 },
      { what: "gets", column: 1, against: real, atLeast: 4 },
      { what: "merge patches", column: 2, against: real, atLeast: 4 },
      { what: "lists", column: 3, against: real, atLeast: 4 },
      { what: "events", column: 4, against: real, atLeast: 2 },
      { what: "creates, with the journal", column: 0, of: "kubewright, journal", against: real, atLeast: 2 },
      { what: "merge patches, with the journal", column: 2, of: "kubewright, journal", against: real, atLeast: 2 },
    ],
  };
  yield {
    title: "start and memory",
    columns: [
      { title: "start ms", digits: 0 },
      { title: "in process ms", digits: 0 },
      { title: "idle RSS MiB", digits: 0 },
      { title: "RSS MiB after the objects", digits: 0 },
    ],
    rows: rows(({ startMs, inProcessMs, idle, loaded }) => [startMs, inProcessMs, idle, loaded]),
    targets: [
      { what: "start, in process", column: 1, against: real, atMost: 0.1 },
      { what: "idle RSS", column: 2, against: real, atMost: 1 / 3 },
      { what: "RSS after the objects", column: 3, against: real, atMost: 1 / 2 },
    ],
  };
}

interface Take {
  readonly creates: number;
  readonly gets: number;
  readonly patches: number;
  readonly lists: number;
  readonly events: number;
  readonly startMs: number;
  readonly inProcessMs: number;
  readonly idle: number;
  readonly loaded: number;
}

async function take(name: ServerName, { sizes }: Bench): Promise<Take> {
  const { serverObjects, serverLists, serverWatchers, serverEvents } = sizes;
  await using subject = await startServer(name);
  const { pids } = subject;
  const load = new Load(subject);
  const perCpuSecond = async (operations: number, run: () => Promise<void>): Promise<number> => {
    const before = cpuSeconds(pids);
    await run();
    return operations / Math.max(cpuSeconds(pids) - before, 0.01);
  };
  await sleep(settleMs);
  const idle = residentMiB(pids);
  const creates = await perCpuSecond(serverObjects, () => load.creates(serverObjects));
  const gets = await perCpuSecond(serverObjects, () => load.gets(serverObjects));
  const patches = await perCpuSecond(serverObjects, () => load.patches(serverObjects));
  const lists = await perCpuSecond(serverLists, () => load.lists(serverLists));
  await sleep(settleMs);
  const loaded = residentMiB(pids);
  const events = await perCpuSecond(serverEvents * serverWatchers, () =>
    load.watched(serverWatchers, serverEvents, () => load.patches(serverEvents)),
  );
  load.close();
  const { startMs, inProcessStartMs = startMs } = subject;
  return { creates, gets, patches, lists, events, startMs, inProcessMs: inProcessStartMs, idle, loaded };
}
