import type { KubeObject } from "@kubewright/apimachinery";
import { expect, it } from "vitest";
import { FinalizeError, type FinalizeResult, Finalizers, isFinalizeError } from "./finalizers.ts";

const { signal } = new AbortController();
const living = (...finalizers: string[]): KubeObject => ({
  apiVersion: "v1",
  kind: "Site",
  metadata: { name: "a", ...(finalizers.length > 0 ? { finalizers } : {}) },
});
const dying = (...finalizers: string[]): KubeObject => {
  const object = living(...finalizers);
  return { ...object, metadata: { ...object.metadata, deletionTimestamp: "2030-01-01T00:00:00Z" } };
};

/** @see controller-runtime pkg/finalizer finalizer_test.go */
it("registers a key once", () => {
  const finalizers = new Finalizers().register("x.io/a", () => {});
  expect(() => finalizers.register("x.io/a", () => {})).toThrow('finalizer for key "x.io/a" already registered');
});

it("adds missing finalizers to a live object, and runs none", async () => {
  const ran: string[] = [];
  const finalizers = new Finalizers()
    .register("x.io/a", () => void ran.push("a"))
    .register("x.io/b", () => void ran.push("b"));
  const object = living("x.io/a", "other.io/c");
  expect(await finalizers.finalize(object, signal)).toEqual({ updated: true, statusUpdated: false });
  expect(object.metadata.finalizers).toEqual(["x.io/a", "other.io/c", "x.io/b"]);
  expect(await finalizers.finalize(object, signal)).toEqual({ updated: false, statusUpdated: false });
  expect(ran).toEqual([]);
});

it("runs the finalizers of an object that is being deleted, in order, and removes them", async () => {
  const ran: unknown[] = [];
  const finalizers = new Finalizers()
    .register("x.io/a", (object, given) => void ran.push(["a", object.metadata.name, given]))
    .register("x.io/missing", () => void ran.push("missing"))
    .register("x.io/b", async () => void ran.push("b"));
  const object = dying("x.io/b", "other.io/c", "x.io/a");
  expect(await finalizers.finalize(object, signal)).toEqual({ updated: true, statusUpdated: false });
  expect(ran).toEqual([["a", "a", signal], "b"]);
  expect(object.metadata.finalizers).toEqual(["other.io/c"]);
  expect(await finalizers.finalize(object, signal)).toEqual({ updated: false, statusUpdated: false });
});

it.each([
  [{ statusUpdated: true }, undefined, { updated: true, statusUpdated: true }],
  [undefined, { statusUpdated: true }, { updated: true, statusUpdated: true }],
  [{ updated: true }, { statusUpdated: false }, { updated: true, statusUpdated: false }],
])("reports the changes of %j and %j", async (first, second, result) => {
  const finalizers = new Finalizers().register("x.io/a", () => first).register("x.io/b", () => second);
  expect(await finalizers.finalize(dying("x.io/a", "x.io/b"), signal)).toEqual(result);
});

it("keeps a failed one, runs the others, and reports the changes to write", async () => {
  const finalizers = new Finalizers()
    .register("x.io/a", () => Promise.reject(new Error("away")))
    .register("x.io/b", () => ({ statusUpdated: true }))
    .register("x.io/c", () => {
      throw "text";
    });
  const object = dying("x.io/a", "x.io/b", "x.io/c");
  const error = await finalizers.finalize(object, signal).catch((thrown: unknown) => thrown);
  expect(isFinalizeError(error) && [error.message, error.errors.length, error.result]).toEqual([
    'finalizer "x.io/a" failed: away; finalizer "x.io/c" failed: text',
    2,
    { updated: true, statusUpdated: true },
  ]);
  expect(object.metadata.finalizers).toEqual(["x.io/a", "x.io/c"]);
  const nothing = await new Finalizers()
    .register("x.io/a", () => Promise.reject(new Error("away")))
    .finalize(dying("x.io/a"), signal)
    .catch((thrown: unknown) => thrown);
  expect(nothing instanceof FinalizeError && nothing.result).toEqual({ updated: false, statusUpdated: false });
  expect(isFinalizeError(new Error("x"))).toBe(false);
});

it("reports the changes of a failed one, regardless of how the error is wrapped", async () => {
  const failing = (changed: Partial<FinalizeResult>, wrap: (error: Error) => Error) => () =>
    Promise.reject(wrap(new FinalizeError([new Error("still in use")], changed)));
  const asIs = (error: Error): Error => error;
  const wrapped = (error: Error): Error => new Error("releasing", { cause: error });
  for (const [changed, wrap, result] of [
    [{ statusUpdated: true }, asIs, { updated: false, statusUpdated: true }],
    [{ updated: true }, wrapped, { updated: true, statusUpdated: false }],
  ] as const) {
    const finalizers = new Finalizers()
      .register("x.io/a", failing(changed, wrap))
      .register("x.io/b", failing({}, asIs));
    const object = dying("x.io/a", "x.io/b");
    const error = await finalizers.finalize(object, signal).catch((thrown: unknown) => thrown);
    expect(isFinalizeError(error) && error.result).toEqual(result);
    expect((error as Error).message).toContain('finalizer "x.io/b" failed: still in use');
    expect(object.metadata.finalizers).toEqual(["x.io/a", "x.io/b"]);
  }
});
