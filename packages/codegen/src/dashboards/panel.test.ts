import { expect, it } from "vitest";
import { dashboardText } from "./panel.ts";

const panel = (title: string, queries: Record<string, string> = {}) => ({ title, description: "", unit: "s", queries });

it("puts two panels per row below their headline, without overlap, with unique IDs", () => {
  const rows = { One: ["a", "b", "c"].map((title) => panel(title)), Two: [panel("d", { x: "up", y: "down" })] };
  const { panels } = JSON.parse(dashboardText({ title: "T", uid: "u", rows }));
  const places = panels.map(
    ({ id, title, gridPos: { x, y, w, h } }: { id: number; title: string; gridPos: Record<string, number> }) => [
      id,
      title,
      [x, y, w, h],
    ],
  );
  expect(places).toEqual([
    [1, "One", [0, 0, 24, 1]],
    [2, "a", [0, 1, 12, 8]],
    [3, "b", [12, 1, 12, 8]],
    [4, "c", [0, 9, 12, 8]],
    [5, "Two", [0, 17, 24, 1]],
    [6, "d", [0, 18, 12, 8]],
  ]);
  expect(panels[5].targets).toMatchObject([
    { refId: "A", expr: "up", legendFormat: "x" },
    { refId: "B", expr: "down", legendFormat: "y" },
  ]);
});
