import { Pod } from "@kubewright/client/kinds";
import { FakeClock } from "@kubewright/clock/testing";
import type { CnfApi } from "../cnf/cnf-api.ts";
import type { Change } from "../cnf/session/change.ts";
import type { Effect } from "../cnf/session/gathering.ts";
import { SessionPool } from "../cnf/session/session-pool.ts";
import { FakeCluster } from "./fake-cluster.ts";
import { FakeCnf } from "./fake-cnf.ts";
import { putCnf } from "./fixtures.ts";

/** CNF that delays its responses. */
class LateCnf extends FakeCnf {
  takesMs = 0;
}

/** Creates a session pool, on a fake clock, for CNFs whose pods have the given addresses and may be slow. */
export function startPool(cnfsOf: Readonly<Record<string, readonly string[]>>) {
  const cluster = new FakeCluster();
  const clock = new FakeClock();
  const cnfs = new Map<string, LateCnf>();
  const cnf = (address: string): LateCnf => {
    const found = cnfs.get(address) ?? new LateCnf();
    cnfs.set(address, found);
    return found;
  };
  for (const [purpose, addresses] of Object.entries(cnfsOf)) putCnf(cluster, purpose, addresses);
  const pool = new SessionPool({
    reader: cluster.client,
    connect: ({ address }) => late(cnf(address), clock),
    endpoint: { scheme: "https" },
    session: { clock },
  });
  const settled = new WeakMap<Promise<unknown>, { readonly error?: unknown }>();
  const submit = (purpose: string, index: number, change: Change): Promise<Effect> => {
    const pod = cluster.peek(Pod, `cnfs/${purpose}-${index}`);
    if (!pod) throw new Error(`no pod ${index} of ${purpose}`);
    const promise = pool.sessionOf(pod).then((session) => session.submit(change));
    promise.then(
      () => settled.set(promise, {}),
      (error: unknown) => settled.set(promise, { error }),
    );
    return promise;
  };
  /** Returns the number of pending promises, the positions of resolved ones, and the reasons of rejected ones. */
  const progressOf = (promises: readonly Promise<unknown>[]) => {
    const known = promises.map((promise) => settled.get(promise));
    return {
      waiting: known.filter((outcome) => outcome === undefined).length,
      done: known.flatMap((outcome, index) => (outcome && !("error" in outcome) ? [index] : [])),
      failed: known.flatMap((outcome) => (outcome && "error" in outcome ? [outcome.error] : [])),
    };
  };
  return { cluster, clock, cnf, pool, submit, progressOf };
}

function late(cnf: LateCnf, clock: FakeClock): CnfApi {
  const slowly = async <T>(request: () => Promise<T>): Promise<T> => {
    if (cnf.takesMs > 0) await clock.sleep(cnf.takesMs);
    return request();
  };
  return {
    collection: (path) => {
      const collection = cnf.collection(path);
      return {
        list: () => slowly(() => collection.list()),
        get: (name) => slowly(() => collection.get(name)),
        create: (object) => slowly(() => collection.create(object)),
        update: (name, object) => slowly(() => collection.update(name, object)),
        delete: (name) => slowly(() => collection.delete(name)),
      };
    },
    service: (name) => {
      const service = cnf.service(name);
      return { restart: () => slowly(() => service.restart()), reload: () => slowly(() => service.reload()) };
    },
    interfaces: () => slowly(() => cnf.interfaces()),
    setInterface: () => slowly(() => cnf.setInterface()),
    status: (signal) => slowly(() => cnf.status(signal)),
    statusOf: (module, signal) => slowly(() => cnf.statusOf(module, signal)),
    close: () => cnf.close(),
  };
}
