import { expect, it } from "vitest";
import { RecentSpans } from "./recent-spans.ts";

const span = (spanId: string) => ({ traceId: "t", spanId, traceFlags: 1 });

it("keeps the most recent keys up to the maximum, and the first span of each", () => {
  const recent = new RecentSpans(2);
  recent.note("a", span("1"));
  recent.note("b", span("2"));
  recent.note("b", span("3"));
  recent.note("nobody", undefined);
  expect(recent.get("a")?.spanId).toBe("1");
  recent.note("c", span("4"));
  expect(recent.get("a")).toBeUndefined();
  expect(recent.get("b")?.spanId).toBe("2");
  expect(recent.get("c")?.spanId).toBe("4");
  expect(recent.get("nobody")).toBeUndefined();
});
