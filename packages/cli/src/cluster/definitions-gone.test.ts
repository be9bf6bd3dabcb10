import { notFound } from "@kubewright/apimachinery";
import type { Client } from "@kubewright/client";
import type { CustomResourceDefinition } from "@kubewright/client/kinds";
import { FakeClock } from "@kubewright/clock/testing";
import { expect, it } from "vitest";
import { notGone } from "./definitions-gone.ts";

/** A cluster in which a definition of a name has a uid, or is gone. */
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

it("does not wait for what is gone, nor for another of the same name, which somebody has made since", async () => {
  const { wait, asked } = start({ b: "b-2" });
  expect(await wait(1_000)).toBeUndefined();
  expect(asked).toEqual(["a", "b"]);
});

it("waits for what is there, and names the first that is not gone in time", async () => {
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
