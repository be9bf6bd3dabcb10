import { Agent, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { ApiServer } from "@kubewright/kube-apiserver";
import { type Target, Watcher } from "./watcher.ts";

export interface ChurnOptions {
  readonly durationMs: number;
  /** Default 200. */
  readonly watchers?: number;
  /** Called about every ten seconds. */
  readonly onProgress?: (report: ChurnReport) => void;
}

export interface ChurnReport {
  readonly seconds: number;
  readonly writes: number;
  readonly events: number;
  readonly cuts: number;
  readonly relists: number;
  /** Bytes of `heapUsed` after a collection, if one can be requested. */
  readonly heap: number;
  /** Watchers whose view differs from a list. */
  readonly differing: readonly string[];
}

const collection = "/api/v1/namespaces/default/configmaps";
const names = 300;
const writers = 4;
const cutEveryMs = 20;
const progressEveryMs = 10_000;

/**
 * Creates, updates and deletes objects at random with many watchers that lose their connections, and compares their views. Half of the
 * watchers are connected in-process.
 */
export async function churn({ durationMs, watchers = 200, onProgress }: ChurnOptions): Promise<ChurnReport[]> {
  await using server = await ApiServer.start({ tls: false });
  const connection = server.connection();
  const target: Target = { url: connection.server, token: connection.token ?? "" };
  const agent = new Agent({ keepAlive: true, maxSockets: writers });
  const started = performance.now();
  const isOver = (): boolean => performance.now() - started >= durationMs;
  const counts = { writes: 0, cuts: 0 };
  const admin = { name: "admin", groups: ["system:masters"] };
  const inProcess: Target = { ...target, handle: (request) => server.handle(request, admin) };
  const watching = Array.from(
    { length: watchers },
    (_, index) => new Watcher(index % 2 === 0 ? target : inProcess, collection),
  );
  const reports: ChurnReport[] = [];

  const report = async (): Promise<void> => {
    const { items, version } = await listOf(target, agent);
    await caughtUp(watching, version);
    globalThis.gc?.();
    const latest: ChurnReport = {
      seconds: Math.round((performance.now() - started) / 1_000),
      ...counts,
      events: watching.reduce((sum, { events }) => sum + events, 0),
      relists: watching.reduce((sum, { lists }) => sum + lists - 1, 0),
      heap: process.memoryUsage().heapUsed,
      differing: watching.flatMap(({ view }, index) => (same(view, items) ? [] : [`watcher ${index}`])),
    };
    reports.push(latest);
    onProgress?.(latest);
  };

  let paused: Promise<void> | undefined;
  const write = async (): Promise<void> => {
    while (!isOver()) {
      await paused;
      await randomWrite(target, agent);
      counts.writes++;
    }
  };
  const cut = async (): Promise<void> => {
    while (!isOver()) {
      watching[Math.floor(Math.random() * watching.length)]?.cut();
      counts.cuts++;
      await sleep(cutEveryMs);
    }
  };
  const observe = async (): Promise<void> => {
    while (!isOver()) {
      await sleep(Math.min(progressEveryMs, durationMs));
      const { promise, resolve } = Promise.withResolvers<void>();
      paused = promise;
      await report().finally(resolve);
      paused = undefined;
    }
  };
  await Promise.all([...Array.from({ length: writers }, write), cut(), observe()]);
  await report();
  await Promise.all(watching.map((watcher) => watcher.close()));
  for (let attempt = 0; server.watchCount > 0; attempt++) {
    if (attempt === 500) throw new Error(`${server.watchCount} watches are left without a watcher`);
    await sleep(20);
  }
  agent.destroy();
  return reports;
}

/** Waits until every watcher has received everything up to a version. */
async function caughtUp(watching: readonly Watcher[], version: string): Promise<void> {
  for (let attempt = 0; attempt < 1_000; attempt++) {
    if (watching.every((watcher) => Number(watcher.version) >= Number(version))) return;
    await sleep(20);
  }
}

const same = (a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean =>
  a.size === b.size && [...a].every(([name, version]) => b.get(name) === version);

async function listOf(target: Target, agent: Agent) {
  const { text } = await call(target, agent, "GET", collection);
  const list = JSON.parse(text) as {
    readonly items: readonly { readonly metadata: { readonly name: string; readonly resourceVersion: string } }[];
    readonly metadata: { readonly resourceVersion: string };
  };
  const items = new Map(list.items.map(({ metadata }) => [metadata.name, metadata.resourceVersion]));
  return { items, version: list.metadata.resourceVersion }; // nothing else is written, so every watcher receives this version
}

async function randomWrite(target: Target, agent: Agent): Promise<void> {
  const name = `c${Math.floor(Math.random() * names)}`;
  const kind = Math.random();
  const path = `${collection}/${name}`;
  const data = { value: String(Math.random()), filling: "x".repeat(Math.floor(Math.random() * 2_000)) };
  if (kind < 0.35) await call(target, agent, "POST", collection, { metadata: { name }, data });
  else if (kind < 0.8) await call(target, agent, "PATCH", path, { data }, "application/merge-patch+json");
  else await call(target, agent, "DELETE", path);
}

/** @throws {Error} for an unexpected answer */
function call(
  { url, token }: Target,
  agent: Agent,
  method: string,
  path: string,
  body?: unknown,
  type = "application/json",
): Promise<{ readonly status: number; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": type };
    const sent = request(`${url}${path}`, { method, agent, headers });
    sent.on("error", reject);
    sent.on("response", (response) => {
      let text = "";
      response.setEncoding("utf8").on("error", reject);
      response.on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("end", () => {
        const status = response.statusCode ?? 0;
        if (status < 300 || status === 404 || status === 409) resolve({ status, text });
        else reject(new Error(`${method} ${path}: ${status} ${text}`));
      });
    });
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}
