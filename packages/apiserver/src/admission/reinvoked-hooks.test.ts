import { describe, expect, it } from "vitest";
import { Reinvocation } from "./reinvocation.ts";
import { ReinvokedHooks } from "./reinvoked-hooks.ts";

/**
 * Runs one pass over hooks `a`, `b` and `c`, some of which change the object and some of which may be called again; returns the called
 * ones.
 */
function pass(hooks: ReinvokedHooks, changing: string, reinvocable: string): string {
  const called = ["a", "b", "c"].filter((id) => hooks.shouldCall(id));
  for (const id of called) hooks.called(id, { changed: changing.includes(id), reinvocable: reinvocable.includes(id) });
  return called.join("");
}

/** @see apiserver pkg/admission/plugin/webhook/mutating reinvocationcontext_test.go */
describe("in the second pass", () => {
  it.each<[string, string, string, unknown, boolean, string]>([
    ["none is called if nothing changed", "", "abc", 1, false, ""],
    ["those before the last change are called", "b", "abc", 1, true, "a"],
    ["those before the last change and able to are called", "c", "a", 1, true, "a"],
    ["the one that changed alone is not", "a", "a", 1, true, ""],
    ["those that were called before a change by others are", "", "ac", 2, false, "ac"],
    ["all that can be are called if others changed the object too", "b", "abc", 2, true, "abc"],
    ["those that cannot be reinvoked are not called", "c", "", 2, true, ""],
  ])("%s", (_what, changing, reinvocable, after, wanted, again) => {
    const reinvocation = new Reinvocation();
    const hooks = new ReinvokedHooks(reinvocation);
    hooks.begin(0);
    expect(pass(hooks, changing, reinvocable)).toBe("abc");
    hooks.end(1);
    expect(reinvocation.isWanted).toBe(wanted);
    expect(reinvocation.isSecondPass).toBe(false);
    reinvocation.begin();
    expect(reinvocation.isSecondPass).toBe(true);
    hooks.begin(after);
    expect(pass(hooks, "", "")).toBe(again);
  });

  it("remembers an output in its original state", () => {
    const reinvocation = new Reinvocation();
    const hooks = new ReinvokedHooks(reinvocation);
    const object = { spec: 1 };
    hooks.begin(object);
    pass(hooks, "", "a");
    hooks.end(object);
    object.spec = 2;
    reinvocation.begin();
    hooks.begin(object);
    expect(pass(hooks, "", "")).toBe("a");
  });
});

it("gives a plugin one state for both passes, separate from others'", () => {
  const reinvocation = new Reinvocation();
  const memory = reinvocation.memoryOf("a", () => ({ calls: 1 }));
  expect(reinvocation.memoryOf("a", () => ({ calls: 2 }))).toBe(memory);
  expect(reinvocation.memoryOf("b", () => ({ calls: 3 }))).toEqual({ calls: 3 });
});
