import type {
  PanelCell,
  PanelColumn,
  PanelDetail,
  PanelEdge,
  PanelNode,
  PanelPart,
  PanelPicture,
  PanelPlace,
  PanelRow,
} from "./panel.ts";

const maxRows = 1_000;
const maxDetailRows = 200;
const maxParts = 20;
const maxFacts = 50;
const maxNodes = 60;
const maxEdges = 200;
const longestText = 500;
const maxBytes = 512 * 1_024;
/** Number of bytes that a value needs in addition to its text, for example for field names. */
const perValue = 40;

/**
 * Limits the size of a panel's response: removes fields that are not displayed, and limits the number of rows, the length of texts and the
 * total size.
 */
export class PanelRoom {
  #left = maxBytes;

  /** Returns as many of the rows as fit. */
  rows(rows: readonly PanelRow[], columns: readonly PanelColumn[], most = maxRows): readonly PanelRow[] {
    const shown: PanelRow[] = [];
    for (const row of rows.slice(0, most)) {
      const cut = Object.fromEntries(columns.map(({ id }) => [id, this.cell(row[id] ?? null)]));
      if (this.#left < 0) break;
      shown.push(cut);
    }
    return shown;
  }

  cell(cell: PanelCell): PanelCell {
    if (typeof cell === "string") return this.#text(cell);
    this.#left -= perValue;
    if (typeof cell !== "object" || cell === null) return cell;
    const { text, tone, sinceMs, atMs, to } = cell;
    return {
      text: this.#text(text),
      ...(tone === undefined ? {} : { tone }),
      ...(sinceMs === undefined ? {} : { sinceMs }),
      ...(atMs === undefined ? {} : { atMs }),
      ...(to === undefined ? {} : { to: this.#place(to) }),
    };
  }

  picture({ nodes, edges }: PanelPicture): PanelPicture {
    const drawn = nodes.slice(0, maxNodes).map((node) => this.#node(node));
    const ids = new Set(drawn.map(({ id }) => id));
    const between = edges.filter(({ from, to }) => ids.has(from) && ids.has(to));
    return { nodes: drawn, edges: between.slice(0, maxEdges).map((edge) => this.#edge(edge)) };
  }

  detail({ title, parts }: PanelDetail): PanelDetail {
    return { title: this.#text(title), parts: parts.slice(0, maxParts).map((part) => this.#part(part)) };
  }

  #part(part: PanelPart): PanelPart {
    switch (part.type) {
      case "facts":
        return { type: "facts", facts: part.facts.slice(0, maxFacts).map((fact) => this.#named(fact)) };
      case "way":
        return {
          type: "way",
          title: this.#text(part.title),
          steps: part.steps.slice(0, maxFacts).map(({ note, ...step }) => ({
            ...this.#named(step),
            ...(note === undefined ? {} : { note: this.#text(note) }),
          })),
        };
      case "table": {
        const { title, columns, rows, none } = part;
        const shown = { type: "table", title: this.#text(title), columns } as const;
        return { ...shown, rows: this.rows(rows, columns, maxDetailRows), ...(none === undefined ? {} : { none }) };
      }
      case "text":
        return { type: "text", text: this.cell(part.text) };
    }
  }

  #named({ name, value }: { readonly name: string; readonly value: PanelCell }) {
    return { name: this.#text(name), value: this.cell(value) };
  }

  #node({ id, title, note, state, shape, to }: PanelNode): PanelNode {
    return {
      id: id.slice(0, longestText),
      title: this.#text(title),
      ...(note === undefined ? {} : { note: this.#text(note) }),
      ...(state === undefined ? {} : { state: this.#textCell(state) }),
      ...(shape === undefined ? {} : { shape }),
      ...(to === undefined ? {} : { to: this.#place(to) }),
    };
  }

  #edge({ from, to, state }: PanelEdge): PanelEdge {
    return { from, to, state: this.#textCell(state) };
  }

  #textCell(cell: PanelNode["state"] & object): PanelNode["state"] & object {
    const cut = this.cell(cell);
    return typeof cut === "object" && cut !== null ? cut : { text: String(cut) };
  }

  #place(place: PanelPlace): PanelPlace {
    if ("controller" in place) return { controller: this.#text(place.controller), key: this.#text(place.key) };
    const { panel, row } = place;
    return { panel: this.#text(panel), ...(row === undefined ? {} : { row: this.#text(row) }) };
  }

  #text(text: string): string {
    const cut = text.length > longestText ? `${text.slice(0, longestText - 1).toWellFormed()}…` : text;
    this.#left -= cut.length + perValue;
    return cut;
  }
}
