import type { KubeObject, Stored } from "@kubewright/apimachinery";
import { expect, it } from "vitest";
import { filteringHandler } from "./event-handler.ts";

const pod = (labels: Record<string, string> = {}): Stored<KubeObject> => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "a", namespace: "web", uid: "1", creationTimestamp: "2026-01-01T00:00:00Z", labels },
});

/** Throws on objects without the label. */
const isOurs = ({
  metadata,
}: {
  readonly metadata: { readonly labels?: Readonly<Record<string, string>> };
}): boolean => {
  if (!metadata.labels?.owner) throw new Error("no owner");
  return metadata.labels.owner === "us";
};

it("treats an object that its predicate throws for as not matching, calls the handler, and then throws", async () => {
  for (const isAsync of [false, true]) {
    const calls: string[] = [];
    const record = (what: string): void | Promise<void> =>
      isAsync ? Promise.resolve().then(() => void calls.push(what)) : void calls.push(what);
    const handler = filteringHandler<KubeObject>(isOurs, {
      added: () => record("added"),
      updated: () => record("updated"),
      deleted: () => record("deleted"),
    });
    const outcome = async (call: () => void | Promise<void> | undefined): Promise<unknown> => {
      calls.length = 0;
      try {
        await call();
        return [...calls];
      } catch (error) {
        return [...calls, (error as Error).message];
      }
    };
    const ours = pod({ owner: "us" });
    const unclear = pod();
    expect(await outcome(() => handler.added?.(unclear, true))).toEqual(["no owner"]);
    expect(await outcome(() => handler.updated?.(unclear, ours))).toEqual(["added", "no owner"]);
    expect(await outcome(() => handler.updated?.(ours, ours))).toEqual(["updated"]);
    expect(await outcome(() => handler.updated?.(ours, unclear))).toEqual(["deleted", "no owner"]);
    expect(await outcome(() => handler.deleted?.(unclear, false))).toEqual(["no owner"]);
    expect(await outcome(() => handler.deleted?.(pod({ owner: "them" }), false))).toEqual([]);
  }
});
