import type { Unstructured } from "@kubewright/apimachinery";
import { FakeClock } from "@kubewright/clock/testing";
import { expect, it } from "vitest";
import { StatusLoops, type StatusLoopsOptions } from "./status-loops.ts";

const own = { source: "Site.example.com", type: "update", key: "default/a" } as const;
const ownWrite = { verb: "patch", resource: "sites.example.com/status", key: "default/a" };

interface RunOptions {
  readonly causes?: readonly object[];
  readonly writes?: readonly object[];
  readonly everyMs?: number;
  /** Time without reconciles at the end. Default 0. */
  readonly restMs?: number;
}

/** A program with one controller that reconciles `default/a` twenty times a second and changes it to `change(n)`. */
class Program {
  readonly clock = new FakeClock();
  readonly warnings: string[] = [];
  readonly #records: object[] = [];
  readonly #loops: StatusLoops;
  object: Unstructured = {
    ...{ apiVersion: "example.com/v1", kind: "Site" },
    metadata: { name: "a", namespace: "default", uid: "1", resourceVersion: "0" },
  };

  constructor() {
    const site = { group: "example.com", version: "v1", kind: "Site", plural: "sites" };
    const state = () => ({ reconciles: this.#records.slice(-500).toReversed() });
    const manager = {
      describe: () => ({ controllers: [{ name: "site", for: site }] }),
      inspect: () => [{ name: "site", state: state() }],
      apiReader: { get: async () => this.object },
    } as unknown as StatusLoopsOptions["manager"];
    this.#loops = new StatusLoops({ manager, clock: this.clock, warn: (text) => this.warnings.push(text) });
  }

  async run(
    seconds: number,
    change: (n: number) => object,
    { causes = [own], writes = [ownWrite], everyMs = 50, restMs = 0 }: RunOptions = {},
  ): Promise<void> {
    const over = new AbortController();
    const running = this.#loops.run(over.signal);
    for (let left = (seconds * 1_000) / everyMs; left > 0; left--) {
      const number = this.#records.length;
      const metadata = { ...this.object.metadata, resourceVersion: String(number) };
      this.object = { ...this.object, metadata, ...change(number) };
      this.#records.push({ number, key: "default/a", atMs: this.clock.now(), causes, writes });
      await this.clock.advance(everyMs);
    }
    await this.clock.advance(restMs);
    over.abort();
    await running;
  }
}

it("names the field that each reconcile changes, once", async () => {
  const program = new Program();
  await program.run(20, (n) => ({ status: { ready: true, checkedAt: `at ${n}` } }));
  expect(program.warnings).toEqual([
    expect.stringMatching(
      /^ {2}warning: controller site reconciled default\/a 1\d\d times in [56]\.\d s, because each reconcile changes what the previous one wrote:\n {4}status\.checkedAt: "at \d+", then "at \d+"\n {4}write a field only .*\n$/,
    ),
  ]);
});

it("names items of lists, growing lists and fields that come and go", async () => {
  const program = new Program();
  await program.run(8, (n) => ({
    status: {
      conditions: [{ type: "Ready", reason: n % 2 === 0 ? "A" : "B" }],
      history: Array.from({ length: n }, () => 1),
      ...(n % 2 === 0 ? { error: "\u001b[31mred\nforged" } : {}),
    },
  }));
  expect(program.warnings.join("")).toMatch(/status\.conditions\[0\]\.reason: "[AB]", then "[AB]"\n/);
  expect(program.warnings.join("")).toMatch(/status\.history: \d+ items, then \d+ items\n/);
  expect(program.warnings.join("")).toMatch(
    /status\.error: (absent, then "\\u001b\[31mred\\nforged"|"\\u001b.*", then absent)\n/,
  );
});

it.each([
  ["a status that stays as it is", () => ({ status: { ready: true } }), {}],
  ["a loop of four seconds", (n: number) => ({ status: { step: Math.min(n, 80) } }), {}],
  ["reconciles without a write", (n: number) => ({ status: { n } }), { writes: [] }],
  ["writes that fail", (n: number) => ({ status: { n } }), { writes: [{ ...ownWrite, error: "Conflict" }] }],
  ["writes of another object", (n: number) => ({ status: { n } }), { writes: [{ ...ownWrite, key: "default/b" }] }],
  ["writes of another kind", (n: number) => ({ status: { n } }), { writes: [{ ...ownWrite, resource: "sites" }] }],
  ["retries and intervals", (n: number) => ({ status: { n } }), { causes: [] }],
  ["changes of owned objects", (n: number) => ({ status: { n } }), { causes: [own, { ...own, source: "Pod" }] }],
  ["the creation of the object", (n: number) => ({ status: { n } }), { causes: [{ ...own, type: "create" }] }],
  ["fewer than 30 reconciles", (n: number) => ({ status: { n } }), { everyMs: 1_000 }],
  ["an object that changes once in a while", (n: number) => ({ status: { n: Math.floor(n / 30) } }), {}],
  ["changes of another object", (n: number) => ({ status: { n } }), { causes: [{ ...own, key: "default/b" }] }],
])("does not warn of %s", async (_, change, options: RunOptions) => {
  const program = new Program();
  await program.run(20, change, options);
  expect(program.warnings).toEqual([]);
});

it("does not warn of a loop that has ended before three versions were seen", async () => {
  const program = new Program();
  await program.run(5.05, (n) => ({ status: { n } }), { restMs: 5_000 });
  expect(program.warnings).toEqual([]);
});

it("names only fields that change each time", async () => {
  const program = new Program();
  await program.run(8, (n) => ({ status: { n, half: Math.floor(n / 2), once: n > 104 } }));
  expect(program.warnings.join("")).toMatch(/wrote:\n {4}status\.n: \d+, then \d+\n {4}write/);
});

it("starts counting again after a reconcile that something else caused", async () => {
  const program = new Program();
  await program.run(4, (n) => ({ status: { n } }));
  await program.run(0.05, (n) => ({ status: { n } }), { causes: [] });
  await program.run(4, (n) => ({ status: { n } }));
  expect(program.warnings).toEqual([]);
  await program.run(4, (n) => ({ status: { n } }));
  expect(program.warnings).toHaveLength(1);
});

it("does not compare an object with one that was created again", async () => {
  const program = new Program();
  const { metadata } = program.object;
  await program.run(20, (n) => ({ metadata: { ...metadata, resourceVersion: `${n}`, uid: `${n}` }, status: { n } }));
  expect(program.warnings).toEqual([]);
});
