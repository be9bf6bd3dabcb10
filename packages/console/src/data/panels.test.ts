import { FakeClock } from "@kubewright/clock/testing";
import { expect, it } from "vitest";
import type { Panel, PanelQuestion } from "./panel.ts";
import { Panels } from "./panels.ts";

const question = (search = ""): PanelQuestion => ({
  search,
  signal: new AbortController().signal,
  mayGet: async () => true,
  mayList: async () => true,
});
const columns = [
  { id: "name", title: "Name" },
  { id: "state", title: "State" },
];

function panelsOf(...all: readonly Panel[]): Panels {
  const panels = new Panels(new FakeClock());
  for (const panel of all) panels.add(panel);
  return panels;
}

it("limits bytes of a response, and returns the total number of rows", async () => {
  const rows = Array.from({ length: 1_000 }, (_, at) => ({ name: `${at}`, state: "x".repeat(10_000) }));
  const panels = panelsOf({ id: "much", title: "Much", columns, rows: () => rows });
  const answer = await panels.answer("much", question());
  expect(answer?.total).toBe(1_000);
  expect(answer?.rows.length).toBeGreaterThan(500);
  expect(answer?.rows.length).toBeLessThan(1_000);
  expect(answer?.rows[0]?.state).toBe(`${"x".repeat(499)}…`);
  expect(Buffer.byteLength(JSON.stringify(answer))).toBeLessThan(768 * 1_024);
});

it("finds rows by all words of a search, unless the panel searches itself", async () => {
  const rows = [
    { name: "north web", state: { text: "Up", tone: "good" as const } },
    { name: "south web", state: "down" },
    { name: 7, state: null },
  ];
  const asked: string[] = [];
  const panels = panelsOf(
    { id: "plain", title: "Plain", columns, rows: () => rows },
    {
      id: "own",
      title: "Own",
      columns,
      searches: true,
      rows: ({ search }) => {
        asked.push(search);
        return { rows, total: 70, note: "of many" };
      },
    },
  );
  expect(await panels.answer("plain", question("WEB up"))).toMatchObject({ total: 1, rows: [rows[0]] });
  expect(await panels.answer("plain", question("7"))).toMatchObject({ total: 1, rows: [rows[2]] });
  expect(await panels.answer("plain", question(""))).toMatchObject({ total: 3, rows });
  for (const none of ["null", "webup", "web west"])
    expect(await panels.answer("plain", question(none))).toMatchObject({ total: 0, rows: [] });
  expect(await panels.answer("own", question("up"))).toMatchObject({ total: 70, rows, note: "of many" });
  expect(asked).toEqual(["up"]);
});

it("shows a form for the search of a panel", async () => {
  const form = [
    { title: "From", example: "10.0.0.1" },
    { title: "In", example: "net1", isOptional: true },
  ];
  const panel = { id: "asks", title: "Asks", columns, rows: () => [] };
  expect(await panelsOf({ ...panel, searches: true, form }).answer("asks", question())).toMatchObject({ form });
  expect(await panelsOf(panel).answer("asks", question())).not.toHaveProperty("form");
  expect(() => panelsOf({ ...panel, form })).toThrow('form: the panel "asks" has a form; set searches to true');
  expect(() => panelsOf({ ...panel, searches: true, form: form.toReversed() })).toThrow("put optional fields last");
  const text = { title: "Files", example: "x", maxTextBytes: 1_048_576 };
  expect(panelsOf({ ...panel, searches: true, form: [text, ...form] }).maxTextBytes("asks")).toBe(1_048_576);
  expect(panelsOf({ ...panel, searches: true, form }).maxTextBytes("asks")).toBeUndefined();
  const optional = [{ ...text, isOptional: true }, ...form];
  expect(panelsOf({ ...panel, searches: true, form: optional }).maxTextBytes("asks")).toBe(1_048_576);
  const two = [text, { ...text, title: "More" }];
  expect(() => panelsOf({ ...panel, searches: true, form: two })).toThrow('the panel "asks" has 2 texts');
  for (const maxTextBytes of [0, 1_048_577, Number.NaN])
    expect(() => panelsOf({ ...panel, searches: true, form: [{ ...text, maxTextBytes }] })).toThrow("at most 1048576");
});

it("draws no lines to missing boxes, and limits their number", async () => {
  const nodes = Array.from({ length: 100 }, (_, at) => ({ id: `n${at}`, title: `node ${at}` }));
  const state = { text: "up", tone: "good" } as const;
  const edges = nodes.map(({ id }) => ({ from: id, to: "n0", state }));
  const panels = panelsOf({ id: "net", title: "Net", columns, rows: () => ({ rows: [], picture: { nodes, edges } }) });
  const { picture } = (await panels.answer("net", question())) ?? {};
  expect([picture?.nodes.length, picture?.edges.length]).toEqual([60, 60]);
});

it("returns only known parts of a row's page", async () => {
  const value = { text: "west", to: { panel: "plain", row: "w" }, secret: "swordfish" };
  const panels = panelsOf({
    id: "plain",
    title: "Plain",
    columns,
    rows: () => [{ name: value, more: "swordfish" }],
    detail: (row) =>
      row === "w"
        ? {
            title: "West",
            parts: [
              { type: "facts", facts: [{ name: "where", value }] },
              { type: "way", title: "The way", steps: [{ name: "first", value, note: "x".repeat(600) }] },
              { type: "table", title: "Many", columns, rows: Array.from({ length: 300 }, () => ({ name: value })) },
              { type: "text", text: value },
            ],
          }
        : undefined,
    about: ({ controller, key }) => (controller === "site" ? key : undefined),
  });
  const detail = await panels.detail("plain", "w", question());
  expect(detail).toMatchObject({
    title: "West",
    panel: { id: "plain", title: "Plain" },
    parts: [
      { type: "facts", facts: [{ name: "where", value: { text: "west", to: { panel: "plain", row: "w" } } }] },
      { type: "way", steps: [{ name: "first", note: `${"x".repeat(499)}…` }] },
      { type: "table", rows: { length: 200 } },
      { type: "text" },
    ],
  });
  expect(JSON.stringify([detail, await panels.answer("plain", question())])).not.toContain("swordfish");
  expect(await panels.detail("plain", "e", question())).toBeUndefined();
  expect(await panels.detail("none", "w", question())).toBeUndefined();
  expect(panels.about("site", "w")).toEqual([{ id: "plain", title: "Plain", row: "w" }]);
  expect(panels.about("other", "w")).toEqual([]);
});

it("searches only displayed cells, which keeps others secret", async () => {
  const rows = [{ name: "west", more: "swordfish" }];
  const panels = panelsOf({ id: "plain", title: "Plain", columns, rows: () => rows });
  expect(await panels.answer("plain", question("sword"))).toMatchObject({ total: 0, rows: [] });
  expect(await panels.answer("plain", question("west"))).toMatchObject({ total: 1, rows: [{ name: "west" }] });
});

it("returns errors of the application, and a timeout after ten seconds", async () => {
  const clock = new FakeClock();
  const panels = new Panels(clock);
  const never = () => new Promise<never>(() => {});
  panels.add({ id: "slow", title: "Slow", columns, rows: never, detail: never });
  panels.add({ id: "odd", title: "Odd", columns, rows: () => Promise.reject("no devices") });
  expect(await panels.answer("odd", question())).toMatchObject({ rows: [], total: 0, error: "no devices" });
  const answer = panels.answer("slow", question());
  const detail = panels.detail("slow", "a", question());
  const refused = expect(detail).rejects.toThrow("no response within 10 s");
  await clock.advance(9_999);
  expect(clock.waiting).toBe(2);
  await clock.advance(1);
  expect(await answer).toMatchObject({ rows: [], total: 0, error: "no response within 10 s" });
  await refused;
  expect(clock.waiting).toBe(0);
});

it("draws each row as a line between two of its cells, if both have a value", async () => {
  const up = { text: "up", tone: "good" as const };
  const rows = [
    { name: "a", far: { text: "b" }, state: up },
    { name: "b", far: "c", state: "down" },
    { name: "c", far: null, state: null },
    { name: "d", far: "a", state: null },
  ];
  const links = { from: "name", to: "far", state: "state" };
  const panels = panelsOf({
    id: "net",
    title: "Net",
    columns: [...columns, { id: "far", title: "Far" }],
    links,
    rows: () => rows,
  });
  expect((await panels.answer("net", question()))?.picture).toEqual({
    nodes: ["a", "b", "c", "d"].map((id) => ({ id, title: id })),
    edges: [
      { from: "a", to: "b", state: up },
      { from: "b", to: "c", state: { text: "down" } },
      { from: "d", to: "a", state: { text: "" } },
    ],
  });
});

it("refuses an invalid panel, naming the field", () => {
  const panel = { id: "a", title: "A", columns, rows: () => [] };
  for (const id of ["", "A", "a b", "-a", "a-", "a/b", "a".repeat(64)])
    expect(() => panelsOf({ ...panel, id })).toThrow(`id: "${id}" is not a valid panel id`);
  for (const id of ["a", "7", "a-b", "a".repeat(63)])
    expect(panelsOf({ ...panel, id }).all).toEqual([{ id, title: "A" }]);
  expect(() => panelsOf(panel, panel)).toThrow('id: a panel "a" already exists');
  expect(() => panelsOf({ ...panel, columns: [] })).toThrow('columns: the panel "a" has no columns');
  expect(() => panelsOf({ ...panel, columns: [...columns, ...columns] })).toThrow(
    'columns: two columns of the panel "a"',
  );
  const links = { from: "name", to: "far", state: "state" };
  expect(() => panelsOf({ ...panel, links })).toThrow('links.to: "far" is not a column of the panel "a"');
});

it("collects what a person should look at from all panels, including panels that fail or do not respond", async () => {
  const clock = new FakeClock();
  const panels = new Panels(clock);
  const add = (id: string, attention: Panel["attention"]) =>
    panels.add({ id, title: id, columns, rows: () => [], attention });
  panels.add({ id: "plain", title: "Plain", columns, rows: () => [] });
  add("tunnels", () => [
    { tone: "bad", text: "north to hub is down", to: { panel: "tunnels", row: "north" } },
    { tone: "warning", text: "x".repeat(1_000), to: { controller: "site", key: "a/b" } },
    ...Array.from({ length: 60 }, () => ({ tone: "bad" as const, text: "more" })),
  ]);
  add("broken", () => Promise.reject(new Error("no devices, token=x")));
  add("silent", () => new Promise(() => {}));
  const asking = panels.attention(question());
  await clock.advance(2_000);
  const items = await asking;
  expect(items.slice(0, 2)).toEqual([
    { tone: "bad", text: "north to hub is down", to: ["panels", "tunnels", "north"] },
    { tone: "warning", text: `${"x".repeat(499)}…`, to: ["objects", "site", "a/b"] },
  ]);
  expect([items.length, items[2]?.to]).toEqual([52, ["panels", "tunnels"]]);
  expect(items.slice(50)).toEqual([
    { tone: "warning", text: "The panel broken failed: no devices, token=(hidden)", to: ["panels", "broken"] },
    { tone: "warning", text: "The panel silent failed: no response within 2.0 s", to: ["panels", "silent"] },
  ]);
});
