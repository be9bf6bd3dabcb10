import { expect, it } from "vitest";
import { PanelRoom } from "./panel-room.ts";

const column = (id: string) => ({ id, title: id });

it("limits content to half a megabyte, including names", () => {
  const columns = [column("a"), column("b")];
  const row = { a: "x".repeat(472), b: { text: "y".repeat(432) } }; // 1 KiB each
  const room = new PanelRoom();
  expect(room.rows(Array(1_000).fill(row), columns)).toHaveLength(512);
  expect(room.rows([{ a: 1, b: null }], columns)).toEqual([]);
  const small = Array.from({ length: 1_500 }, (_, at) => ({ a: at, b: true }));
  expect(new PanelRoom().rows(small, columns)).toEqual(small.slice(0, 1_000));
  const named = { a: "x".repeat(952), to: { panel: "p".repeat(500), row: "r".repeat(500) } };
  expect(new PanelRoom().rows(Array(1_000).fill({ a: { text: named.a, to: named.to } }), columns).length).toBeLessThan(
    350,
  );
});

it("keeps known fields of cells, with at most 500 letters", () => {
  const room = new PanelRoom();
  const place = { controller: "c", key: "k", secret: "s" };
  const cell = { text: "t", tone: "bad" as const, sinceMs: 1, atMs: 2, to: place, secret: "s" };
  expect(room.cell(cell)).toEqual({ text: "t", tone: "bad", sinceMs: 1, atMs: 2, to: { controller: "c", key: "k" } });
  expect(room.cell({ text: "t", to: { panel: "p" } })).toEqual({ text: "t", to: { panel: "p" } });
  for (const plain of [0, 1.5, true, false, null, ""]) expect(room.cell(plain)).toBe(plain);
  expect(room.cell("x".repeat(500))).toBe("x".repeat(500));
  expect(room.cell("x".repeat(501))).toBe(`${"x".repeat(499)}…`);
  expect(room.cell(`${"x".repeat(498)}😀😀`)).toBe(`${"x".repeat(498)}\ufffd…`);
});

it("keeps 60 boxes and 200 lines, with known fields of boxes", () => {
  const state = { text: "up", tone: "good" as const };
  const nodes = Array.from({ length: 70 }, (_, at) => ({ id: `n${at}`, title: "t" }));
  const edges = [
    { from: "n0", to: "n60", state },
    { from: "n60", to: "n0", state },
    ...Array.from({ length: 300 }, () => ({ from: "n59", to: "n0", state, secret: "s" })),
  ];
  const drawn = new PanelRoom().picture({ nodes, edges });
  expect(drawn).toEqual({ nodes: nodes.slice(0, 60), edges: Array(200).fill({ from: "n59", to: "n0", state }) });
  const node = { id: "i".repeat(600), title: "t", note: "n", state, shape: "outside" as const, to: { panel: "p" } };
  const { nodes: cut } = new PanelRoom().picture({ nodes: [Object.assign({ secret: "s" }, node)], edges: [] });
  expect(cut).toEqual([{ ...node, id: "i".repeat(500) }]);
});

it("limits the page of a row to 20 parts, each with 50 facts or steps, or 200 rows", () => {
  const fact = { name: "n", value: 1 };
  const many = Array(60).fill(fact);
  const { parts } = new PanelRoom().detail({
    title: "t",
    parts: [
      { type: "facts", facts: many },
      { type: "way", title: "w", steps: many },
      { type: "table", title: "r", columns: [column("a")], rows: Array(201).fill({ a: 1 }), none: "none" },
      { type: "table", title: "r", columns: [column("a")], rows: [] },
      ...Array(17).fill({ type: "text", text: "x" }),
    ],
  });
  expect(parts).toHaveLength(20);
  expect(parts.slice(0, 5)).toEqual([
    { type: "facts", facts: many.slice(0, 50) },
    { type: "way", title: "w", steps: many.slice(0, 50) },
    { type: "table", title: "r", columns: [column("a")], rows: Array(200).fill({ a: 1 }), none: "none" },
    { type: "table", title: "r", columns: [column("a")], rows: [] },
    { type: "text", text: "x" },
  ]);
});
