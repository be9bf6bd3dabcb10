import { unstructured } from "@kubewright/apimachinery";
import { FakeClock } from "@kubewright/clock/testing";
import { expect, it } from "vitest";
import type { Expectation, WriteExpectations } from "./expectations.ts";
import { OwnWrites } from "./own-writes.ts";

const Box = unstructured({ apiVersion: "shop.example.com/v1", kind: "Box" });
const box = (name: string, resourceVersion: string, uid = "uid") => ({
  metadata: { name, namespace: "web", resourceVersion, uid },
});

/** A cache whose progress a test controls. */
class Shown implements WriteExpectations {
  upTo = 0;
  asked = 0;
  #expect(claim: () => boolean): Expectation[] {
    const isMet = (): boolean => {
      this.asked++;
      return claim();
    };
    return [
      {
        get isMet() {
          return isMet();
        },
        met: async () => claim(),
      },
    ];
  }
  ofWrite: WriteExpectations["ofWrite"] = (_kind, { metadata }) =>
    this.#expect(() => this.upTo >= Number(metadata.resourceVersion));
  ofDeletion: WriteExpectations["ofDeletion"] = () => this.#expect(() => this.upTo >= 100);
  ofDeletions: WriteExpectations["ofDeletions"] = () => new Map();
}

function start() {
  const shown = new Shown();
  return { shown, own: new OwnWrites<string>(shown, new FakeClock()) };
}
const unseen = (own: OwnWrites<string>, request = "web/a") => own.unseen(request).map(({ key }) => key);

it("drops a write once it is shown, per request", () => {
  const { shown, own } = start();
  own.note("web/a", Box, box("one", "1"));
  own.note("web/a", Box, box("two", "2"));
  own.note("web/b", Box, box("two", "2"));
  expect([unseen(own), unseen(own, "web/b"), unseen(own, "web/c")]).toEqual([["web/one", "web/two"], ["web/two"], []]);
  shown.upTo = 1;
  expect(unseen(own)).toEqual(["web/two"]);
  shown.upTo = 2;
  expect([unseen(own), unseen(own, "web/b")]).toEqual([[], []]);
});

it("keeps the newest version, regardless of the order of concurrent responses", () => {
  const { shown, own } = start();
  own.note("web/a", Box, box("one", "10"));
  own.note("web/a", Box, box("one", "9"));
  shown.upTo = 9;
  expect(unseen(own)).toEqual(["web/one"]);
  shown.upTo = 10;
  expect(unseen(own)).toEqual([]);
});

it("keeps a deletion while the same object is still written, but not if another one has its name", () => {
  const { shown, own } = start();
  own.note("web/a", Box, box("one", "1"));
  own.noteDeletion("web/a", Box, "web/one", own.expectDeletion("web/a", Box, "web/one", undefined));
  own.note("web/a", Box, box("one", "2"));
  shown.upTo = 2;
  expect(unseen(own)).toEqual(["web/one"]);
  own.note("web/a", Box, box("one", "3", "another"));
  shown.upTo = 3;
  expect(unseen(own)).toEqual([]);
});

it("does not replace a later write with a live read", () => {
  const { shown, own } = start();
  own.note("web/a", Box, box("one", "5"));
  const [write] = own.unseen("web/a");
  if (!write) throw new Error("the write is not unseen");
  const found = own.liveRead("web/a", write);
  own.note("web/a", Box, box("one", "7"));
  found(box("one", "6"));
  shown.upTo = 6;
  expect(unseen(own)).toEqual(["web/one"]);
});

it("drops requests that do not occur again", () => {
  const { shown, own } = start();
  for (let i = 0; i < 999; i++) own.note(`web/${i}`, Box, box("one", "1"));
  expect(shown.asked).toBe(0);
  shown.upTo = 1;
  own.note("web/last", Box, box("one", "2"));
  expect(shown.asked).toBe(1_000);
  for (let i = 0; i < 999; i++) own.unseen(`web/${i}`);
  expect(shown.asked).toBe(1_000); // they had been dropped
  expect(unseen(own, "web/last")).toEqual(["web/one"]);
});
