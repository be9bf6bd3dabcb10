import { notFound } from "@kubewright/apimachinery";
import type { Client } from "@kubewright/client";
import type { CustomResourceDefinition } from "@kubewright/client/kinds";
import { FakeClock } from "@kubewright/clock/testing";
import { expect, it } from "vitest";
import { notGone } from "./definitions-gone.ts";

/** A cluster that has a definition with a given UID, or none. */
function start(uids: Record<string, string>) {
  const asked: string[] = [];
  const get = async (_kind: unknown, { name }: { readonly name: string }): Promise<unknown> => {
    asked.push(name);
    const uid = uids[name];
    if (uid === undefined)
      throw notFound({ group: "apiextensions.k8s.io", resource: "customresourcedefinitions" }, name);
    return { metadata: { name, uid } };
  };
  const clock = new FakeClock();
  const definitions = ["a", "b"].map((name) => ({
    metadata: { name, uid: `${name}-1` },
  })) as CustomResourceDefinition[];
  const client = { get: get as Client["get"] };
  const wait = (timeoutMs: number) => notGone(client, definitions, timeoutMs, new AbortController().signal, clock);
  return { uids, asked, clock, wait };
}

it("waits neither for deleted definitions nor for new ones with the same name", async () => {
  const { wait, asked } = start({ b: "b-2" });
  expect(await wait(1_000)).toBeUndefined();
  expect(asked).toEqual(["a", "b"]);
});

it("waits for deletion, and names the first definition that remains", async () => {
  const { wait, clock, uids } = start({ a: "a-1", b: "b-1" });
  const named = wait(1_000);
  await clock.advance(500);
  delete uids.a;
  await clock.advance(499);
  expect(clock.waiting).toBe(1);
  await clock.advance(251);
  expect(await named).toBe("b");
  const gone = wait(1_000);
  delete uids.b;
  await clock.advance(250);
  expect(await gone).toBeUndefined();
});
