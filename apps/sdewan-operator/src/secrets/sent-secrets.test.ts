import { expect, it } from "vitest";
import { SentSecrets } from "./sent-secrets.ts";

it("remembers the texts sent to a CNF, the latest if there are too many", () => {
  const sent = new SentSecrets();
  for (let at = 0; at < 4_100; at++) sent.note("edge7", [`key-${at}`]);
  sent.note("hub", ["other"]);
  expect(sent.to("edge7").size).toBe(4_096);
  expect([sent.to("edge7").has("key-3"), sent.to("edge7").has("key-4")]).toEqual([false, true]);
  sent.note("edge7", ["key-4", "new"]);
  expect([sent.to("edge7").has("key-4"), sent.to("edge7").has("key-5")]).toEqual([true, false]);
  expect([...sent.to("hub")]).toEqual(["other"]);
  expect(sent.to("nowhere").size).toBe(0);
});

it("limits the total size of texts, and first drops those of the CNF with the oldest last write", () => {
  const sent = new SentSecrets();
  const long = "x".repeat(1024 * 1024);
  sent.note("old", ["a"]);
  for (let at = 0; at < 6; at++) sent.note("edge7", [`${at}${long.slice(1)}`]);
  expect(sent.to("old").size).toBe(0);
  expect([...sent.to("edge7")].map((text) => text[0])).toEqual(["2", "3", "4", "5"]);
});

it("increases its revision with each new text", () => {
  const sent = new SentSecrets();
  sent.note("edge7", ["a"]);
  const { revision } = sent;
  sent.note("edge7", ["a"]);
  expect(sent.revision).toBe(revision);
  sent.note("edge7", ["b"]);
  expect(sent.revision).toBeGreaterThan(revision);
});
