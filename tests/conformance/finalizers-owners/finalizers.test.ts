import { addFinalizer, hasFinalizer, type KubeObject } from "@kubewright/apimachinery";
import { type FinalizeError, Finalizers, isFinalizeError } from "@kubewright/controller";
import { describe, expect, it } from "vitest";

const { signal } = new AbortController();
const pod = (finalizers?: string[], deletionTimestamp?: string): KubeObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name: "a",
    namespace: "web",
    ...(finalizers ? { finalizers } : {}),
    ...(deletionTimestamp ? { deletionTimestamp } : {}),
  },
});
const deleting = (...finalizers: string[]): KubeObject => pod(finalizers, "2026-01-01T00:00:00Z");
const nothingDone = { updated: false, statusUpdated: false };

describe("a finalizer", () => {
  it("FO-025 is appended if missing; otherwise, nothing changes", () => {
    const object = pod(["x/first"]);
    expect(addFinalizer(object, "x/second")).toBe(true);
    expect(object.metadata.finalizers).toEqual(["x/first", "x/second"]);
    const before = object.metadata.finalizers;
    expect(addFinalizer(object, "x/first")).toBe(false);
    expect(object.metadata.finalizers).toBe(before);
    const bare = pod();
    expect(addFinalizer(bare, "x/first")).toBe(true);
    expect(bare.metadata.finalizers).toEqual(["x/first"]);
  });

  it("FO-026 exists or does not", () => {
    expect(hasFinalizer(pod(["x/first"]), "x/first")).toBe(true);
    expect(hasFinalizer(pod(["x/first"]), "x/second")).toBe(false);
    expect(hasFinalizer(pod(), "x/first")).toBe(false);
  });
});

describe("a registry of finalizers", () => {
  it("FO-027 accepts each key once", () => {
    const finalizers = new Finalizers().register("x/one", () => {});
    expect(() => finalizers.register("x/one", () => {})).toThrow('finalizer for key "x/one" already registered');
    expect(() => finalizers.register("x/two", () => {})).not.toThrow();
  });

  it("FO-028 adds missing finalizers to an object that is not being deleted, and reports the update", async () => {
    const ran: string[] = [];
    const finalizers = new Finalizers()
      .register("x/one", () => void ran.push("one"))
      .register("x/two", () => void ran.push("two"));
    const object = pod(["x/one"]);
    expect(await finalizers.finalize(object, signal)).toEqual({ updated: true, statusUpdated: false });
    expect(object.metadata.finalizers).toEqual(["x/one", "x/two"]);
    expect(ran).toEqual([]);
  });

  it("FO-029 runs the finalizers of an object being deleted, then removes them", async () => {
    const object = deleting("x/one", "x/foreign");
    const seen: unknown[] = [];
    const finalizers = new Finalizers().register("x/one", async (given, givenSignal) => {
      seen.push(given, givenSignal, [...(given.metadata.finalizers ?? [])]);
    });
    expect(await finalizers.finalize(object, signal)).toEqual({ updated: true, statusUpdated: false });
    expect(seen).toEqual([object, signal, ["x/one", "x/foreign"]]);
    expect(object.metadata.finalizers).toEqual(["x/foreign"]);
  });

  it("FO-029 passes on that a finalizer changed the status", async () => {
    const finalizers = new Finalizers().register("x/one", () => ({ statusUpdated: true }));
    expect(await finalizers.finalize(deleting("x/one"), signal)).toEqual({ updated: true, statusUpdated: true });
  });

  it("FO-030 reports no update if there is nothing to add or run", async () => {
    const finalizers = new Finalizers().register("x/one", () => {
      throw new Error("it ran");
    });
    expect(await finalizers.finalize(pod(["x/one"]), signal)).toEqual(nothingDone);
    const gone = deleting("x/foreign");
    expect(await finalizers.finalize(gone, signal)).toEqual(nothingDone);
    expect(gone.metadata.finalizers).toEqual(["x/foreign"]);
    expect(await new Finalizers().finalize(pod(), signal)).toEqual(nothingDone);
  });

  it("FO-031 runs all of them in one call", async () => {
    const keys = ["x/1", "x/2", "x/3", "x/4"];
    const ran: string[] = [];
    const finalizers = new Finalizers();
    for (const key of keys) finalizers.register(key, () => void ran.push(key));
    const object = deleting(...keys);
    expect(await finalizers.finalize(object, signal)).toMatchObject({ updated: true });
    expect(ran).toEqual(keys);
    expect(object.metadata.finalizers).toBeUndefined();
  });

  it("FO-032 keeps a failed finalizer, and names it", async () => {
    const cause = new Error("no luck");
    const finalizers = new Finalizers().register("x/one", () => Promise.reject(cause));
    const object = deleting("x/one");
    const failure = await failed(finalizers.finalize(object, signal));
    expect(failure.message).toContain('finalizer "x/one" failed: no luck');
    expect(failure.errors).toMatchObject([{ cause }]);
    expect(failure.result).toEqual(nothingDone);
    expect(object.metadata.finalizers).toEqual(["x/one"]);
  });

  it("FO-032 runs the others although one failed, and reports that they are yet to be written", async () => {
    const finalizers = new Finalizers()
      .register("x/bad", () => {
        throw new Error("no luck");
      })
      .register("x/good", () => {});
    const object = deleting("x/bad", "x/good");
    expect((await failed(finalizers.finalize(object, signal))).result).toEqual({ updated: true, statusUpdated: false });
    expect(object.metadata.finalizers).toEqual(["x/bad"]);
  });
});

async function failed(finalizing: Promise<unknown>): Promise<FinalizeError> {
  const error = await finalizing.catch((thrown: unknown) => thrown);
  if (isFinalizeError(error)) return error;
  throw new Error("it did not fail", { cause: error });
}
