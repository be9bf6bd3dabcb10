import process from "node:process";
import { Client } from "@kubewright/client";
import { ConfigMap } from "@kubewright/client/kinds";
import { Elector, LeaseLock, type ResourceLock } from "@kubewright/leader-election";
import { type ContenderOrder, leaseDurationMs } from "./order.ts";

/** Tracks the current term of the lock's holder. */
function withTerm(lock: ResourceLock): ResourceLock & { readonly term: number } {
  let term = -1;
  const note = async (record: { readonly leaderTransitions: number }, write: Promise<void>): Promise<void> => {
    await write;
    term = record.leaderTransitions;
  };
  return {
    identity: lock.identity,
    description: lock.description,
    get term() {
      return term;
    },
    get: (signal) => lock.get(signal),
    create: (record, signal) => note(record, lock.create(record, signal)),
    update: (record, signal) => note(record, lock.update(record, signal)),
    record: (text) => lock.record(text),
  };
}

async function contend({ connection, group, identity, writers }: ContenderOrder): Promise<void> {
  const client = new Client({ connection });
  const lock = withTerm(new LeaseLock({ client, namespace: "default", name: group, identity }));
  const elector = new Elector({ lock, leaseDurationMs, renewDeadlineMs: 1_400, retryPeriodMs: 300 });
  let writes = 0;

  const fenced = client.with({
    fence: {
      check: () => elector.assertLeading(),
      signal: new AbortController().signal, // `check` has to find out that leadership ended
      refused: ({ what }, cause) => new Error(`${what}: not sent`, { cause }),
    },
  });
  const write = async (): Promise<void> => {
    const data = { term: String(lock.term), by: identity, write: String(++writes) };
    await fenced.patch(ConfigMap, { namespace: "default", name: group }, { data });
  };
  // They continue after an abort: only the fence holds them back.
  const goOn = async (): Promise<void> => {
    while (!hasEnded) {
      await write().catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  };
  let hasEnded = false;
  elector.events.once("elected", () => {
    process.stdout.write("elected\n");
    for (let writer = 0; writer < writers; writer++) void goOn();
  });
  await elector.run(new AbortController().signal).catch(() => {});
  await new Promise((resolve) => setTimeout(resolve, 200)); // late writes would arrive now
  hasEnded = true;
}

await contend(JSON.parse(process.argv[2] ?? "") as ContenderOrder);
process.exit();
