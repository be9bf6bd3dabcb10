import type { Clock } from "@kubewright/clock";

/** Text, or text that says how good it is, which is shown by a sign and a colour. */
export type PanelCell =
  | string
  | number
  | boolean
  | null
  | { readonly text: string; readonly tone: "good" | "bad" | "warning" | "neutral" };

/** A column of a {@link Panel}: `id` is the member of a row that it shows, unique in the panel; `title` is what people read above it. */
export interface PanelColumn {
  readonly id: string;
  readonly title: string;
}

/** By the id of the column. */
export type PanelRow = Readonly<Record<string, PanelCell>>;

/** A screen of the application's own: data, which the console shows as it shows its own. */
export interface Panel {
  /** Lowercase letters, digits and dashes: part of its address. */
  readonly id: string;
  readonly title: string;
  readonly columns: readonly PanelColumn[];
  /** Asked whenever somebody looks. At most 1,000 rows are shown. */
  readonly rows: () => readonly PanelRow[] | Promise<readonly PanelRow[]>;
  /** Draws each row as a line between what two columns name, in the tone of a third. By the ids of columns. */
  readonly links?: { readonly from: string; readonly to: string; readonly state: string } | undefined;
}

export interface PanelAnswer extends Omit<Panel, "rows"> {
  readonly rows: readonly PanelRow[];
  readonly total: number;
  readonly error?: string | undefined;
}

const mostRows = 1_000;
const longestCell = 500;
const patienceMs = 10_000;

/** The panels of one console, by id. */
export class Panels {
  readonly #clock: Clock;
  readonly #panels = new Map<string, Panel>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @throws {Error} that names the field, for a panel that cannot be shown */
  add(panel: Panel): void {
    const { id, columns, links } = panel;
    if (!/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(id))
      throw new Error(`id: "${id}" is none of a panel; use lowercase letters, digits and dashes`);
    if (this.#panels.has(id)) throw new Error(`id: there is a panel "${id}" already; give this one another`);
    if (columns.length === 0) throw new Error(`columns: the panel "${id}" has none; name at least one`);
    const ids = new Set(columns.map((column) => column.id));
    if (ids.size !== columns.length) throw new Error(`columns: two of the panel "${id}" have the same id`);
    for (const [field, column] of Object.entries(links ?? {}))
      if (!ids.has(column)) throw new Error(`links.${field}: "${column}" is no column of the panel "${id}"`);
    this.#panels.set(id, panel);
  }

  get all(): readonly Pick<Panel, "id" | "title">[] {
    return [...this.#panels.values()].map(({ id, title }) => ({ id, title }));
  }

  /** `undefined` where there is no such panel. What the application throws is shown in its place. */
  async answer(id: string): Promise<PanelAnswer | undefined> {
    const panel = this.#panels.get(id);
    if (!panel) return undefined;
    const { title, columns, links } = panel;
    const common = { id, title, columns, ...(links ? { links } : {}) };
    try {
      const rows = await this.#within(panel);
      const shown = rows.slice(0, mostRows).map((row) => cut(row, columns));
      return { ...common, rows: shown, total: rows.length };
    } catch (error) {
      return { ...common, rows: [], total: 0, error: error instanceof Error ? error.message : String(error) };
    }
  }

  async #within({ rows }: Panel): Promise<readonly PanelRow[]> {
    const late = Promise.withResolvers<never>();
    const timer = this.#clock.after(patienceMs, () => late.reject(new Error(`no rows within ${patienceMs} ms`)));
    try {
      return await Promise.race([rows(), late.promise]);
    } finally {
      timer.cancel();
    }
  }
}

/** Only what columns show, and no more of it than can be read. */
const cut = (row: PanelRow, columns: readonly PanelColumn[]): PanelRow =>
  Object.fromEntries(columns.map(({ id }) => [id, cutCell(row[id] ?? null)]));

function cutCell(cell: PanelCell): PanelCell {
  if (typeof cell === "string") return cell.slice(0, longestCell);
  if (typeof cell !== "object" || cell === null) return cell;
  return { text: cell.text.slice(0, longestCell), tone: cell.tone };
}
