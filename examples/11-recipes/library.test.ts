import { Environment } from "@kubewright/envtest";
import { Client } from "kubewright";
import { ConfigMap, Lease, Pod } from "kubewright/kinds";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { follow, lead, runningPods, work } from "./library.ts";

let env: Environment;
let client: Client;
beforeAll(async () => {
  env = await Environment.start();
  client = new Client({ connection: env.connection() });
});
afterAll(async () => {
  await client.close();
  await env.stop();
});

const make = (name: string) =>
  client.create(ConfigMap, { metadata: { namespace: "default", name } });

it("lists only running pods", async () => {
  for (const name of ["up", "waits"])
    await client.create(Pod, {
      metadata: { namespace: "default", name },
      spec: { containers: [{ name: "c", image: "x" }] },
    });
  await client.status.patch(Pod, "default/up", { phase: "Running" });
  expect(await runningPods(client, "default")).toEqual(["default/up"]);
});

it("follows existing and new objects until it is stopped", async () => {
  await make("before");
  const stop = new AbortController();
  const lines: string[] = [];
  const following = follow(
    client,
    (line) => void lines.push(line),
    stop.signal,
  );
  await vi.waitFor(() => expect(lines).toContain("ADDED default/before"));
  await make("later");
  await vi.waitFor(() => expect(lines).toContain("ADDED default/later"));
  stop.abort();
  await following;
});

it("handles changes in the process that leads, retries failures, and releases the Lease", async () => {
  await make("hard");
  const stop = new AbortController();
  const done: string[] = [];
  let tries = 0;
  const handle = async (key: string): Promise<void> => {
    if (key === "default/hard" && ++tries < 3) throw new Error("not yet");
    done.push(key);
  };
  const leading = lead(
    client,
    (signal) => work(client, handle, signal),
    stop.signal,
  );
  await vi.waitFor(() => expect(done).toContain("default/hard"), {
    timeout: 10_000,
  });
  expect(tries).toBe(3);
  stop.abort();
  await leading;
  expect(
    (await client.get(Lease, "default/library")).spec?.holderIdentity,
  ).toBe("");
});
