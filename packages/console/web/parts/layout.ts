import type { Picture, PictureNode } from "../responses.ts";

export interface Placed extends PictureNode {
  readonly x: number;
  readonly y: number;
}

export interface Layout {
  readonly nodes: ReadonlyMap<string, Placed>;
  readonly width: number;
  readonly height: number;
  readonly box: { readonly width: number; readonly height: number };
}

const rowGap = 22;
const margin = 6;
const widest = 240;

/**
 * Arranges boxes in columns so that lines go from left to right. Within a column, each box is placed near the boxes to
 * which it is connected.
 *
 * @param available available width; the layout becomes wider if the boxes would otherwise not be legible
 */
export function layoutOf({ nodes, edges }: Picture, available: number): Layout {
  const columns = columnsOf({ nodes, edges });
  const isNarrow = available < 640;
  const boxWidth = isNarrow ? 136 : Math.min(widest, Math.max(160, available / (columns.length * 1.8)));
  const boxHeight = 66;
  const leastGap = isNarrow ? 50 : 130;
  const least = columns.length * boxWidth + (columns.length - 1) * leastGap + 2 * margin;
  const width = Math.max(least, Math.min(available, columns.length > 1 ? 1_000 : least));
  const tallest = Math.max(...columns.map(({ length }) => length), 1);
  const height = tallest * (boxHeight + rowGap) - rowGap + 2 * margin;
  const gap = columns.length > 1 ? (width - 2 * margin - columns.length * boxWidth) / (columns.length - 1) : 0;
  const placed = new Map<string, Placed>();
  for (const [at, column] of columns.entries()) {
    const step = height / column.length;
    const x = columns.length > 1 ? margin + at * (boxWidth + gap) : (width - boxWidth) / 2;
    for (const [row, node] of column.entries())
      placed.set(node.id, { ...node, x, y: step * (row + 0.5) - boxHeight / 2 });
  }
  return { nodes: placed, width, height, box: { width: boxWidth, height: boxHeight } };
}

function columnsOf({ nodes, edges }: Picture): PictureNode[][] {
  const depths = depthsOf({ nodes, edges });
  const deepest = Math.max(0, ...depths.values());
  const columns = Array.from({ length: deepest + 1 }, (_, depth) =>
    nodes.filter(({ id }) => (depths.get(id) ?? 0) === depth),
  ).filter(({ length }) => length > 0);
  // To reduce crossings, sort each column by the positions of the connected boxes to its right.
  for (let at = columns.length - 2; at >= 0; at--) {
    const right = new Map((columns[at + 1] ?? []).map(({ id }, index) => [id, index]));
    const meanOf = ({ id }: PictureNode): number => {
      const to = edges.flatMap((edge) => (edge.from === id ? (right.get(edge.to) ?? []) : []));
      return to.length > 0 ? to.reduce((sum, index) => sum + index, 0) / to.length : right.size;
    };
    columns[at] = (columns[at] ?? []).toSorted((a, b) => meanOf(a) - meanOf(b));
  }
  return columns;
}

/** Returns the longest distance of each box from a box without incoming lines. Cycles are cut. */
function depthsOf({ nodes, edges }: Picture): ReadonlyMap<string, number> {
  const depths = new Map(nodes.map(({ id }) => [id, 0]));
  const most = Math.min(nodes.length - 1, 4);
  for (let round = 0; round < nodes.length; round++) {
    let isDone = true;
    for (const { from, to } of edges) {
      const depth = Math.min((depths.get(from) ?? 0) + 1, most);
      if (from === to || depth <= (depths.get(to) ?? 0)) continue;
      depths.set(to, depth);
      isDone = false;
    }
    if (isDone) break;
  }
  return depths;
}
