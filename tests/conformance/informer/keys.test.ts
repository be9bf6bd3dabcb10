import { DeletedFinalStateUnknown, keyOf, splitKey } from "@kubewright/apimachinery";
import { deletionHandlingKeyOf, KeyError, metaNamespaceKeyOf } from "@kubewright/cache/tools";
import { describe, expect, it } from "vitest";
import { pod } from "./pods.ts";

describe("object keys and tombstones", () => {
  it("INF-001 formats keys as namespace/name and parses them", () => {
    const printed = (key: string): string => {
      const { namespace = "", name } = splitKey(key);
      return keyOf({ metadata: { name, namespace } });
    };
    expect(keyOf(pod("a"))).toBe("web/a");
    expect(keyOf({ metadata: { name: "a" } })).toBe("a");
    expect(["a", "web/a", "/a"].map(printed)).toEqual(["a", "web/a", "a"]);
    expect(splitKey("web/a")).toEqual({ namespace: "web", name: "a" });
    expect(() => splitKey("a/b/c")).toThrow("unexpected key format");
  });

  it("INF-002 returns the key of a tombstone's object", () => {
    const tombstone = new DeletedFinalStateUnknown("web/a", pod("a"));
    expect(deletionHandlingKeyOf(tombstone)).toBe(deletionHandlingKeyOf(pod("a")));
    expect(splitKey(deletionHandlingKeyOf(tombstone))).toEqual({ namespace: "web", name: "a" });
  });

  it("INF-003 names the value for which no key could be created, and why", () => {
    const value = { no: "metadata" };
    const failing = (): unknown => {
      try {
        return metaNamespaceKeyOf(value);
      } catch (error) {
        return error;
      }
    };
    const error = failing();
    expect(error).toBeInstanceOf(KeyError);
    const outer = new Error("outer", { cause: new KeyError(value, error) });
    const middle = outer.cause;
    expect(middle).toBeInstanceOf(KeyError);
    const inner = middle instanceof KeyError ? middle.cause : undefined;
    expect(inner).toBe(error);
    expect(inner instanceof KeyError ? [inner.object, String(inner.cause)] : []).toEqual([
      value,
      "Error: object has no meta",
    ]);
  });
});
