import type { Clock } from "@kubewright/clock";
import { errorText } from "@kubewright/log";
import type { AttentionItem } from "./attention.ts";
import { durationText } from "./duration.ts";
import type {
  Panel,
  PanelCell,
  PanelContent,
  PanelDetail,
  PanelPicture,
  PanelPlace,
  PanelQuestion,
  PanelRow,
} from "./panel.ts";
import { PanelRoom } from "./panel-room.ts";
import { redactedText } from "./redacted.ts";

export interface PanelResponse extends Omit<PanelContent, "total">, Pick<Panel, "id" | "title" | "columns" | "form"> {
  readonly total: number;
  readonly error?: string | undefined;
}

/** A response with the page about a row. */
export interface PanelDetailResponse extends PanelDetail {
  readonly panel: Pick<Panel, "id" | "title">;
}

const patienceMs = 10_000;
const attentionPatienceMs = 2_000;
/** Maximum size of the text of a form, in bytes. */
const longestFormText = 1_048_576;
/** Maximum number of items that one panel contributes to the overview. */
const maxAttention = 50;

/** A console's panels. */
export class Panels {
  readonly #clock: Clock;
  readonly #panels = new Map<string, Panel>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Adds a panel. @throws {Error} if the panel is not valid; the message contains the field */
  add(panel: Panel): void {
    const { id, columns, links, form, searches = false } = panel;
    if (!/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(id))
      throw new Error(`id: "${id}" is not a valid panel id; use lower-case letters, digits and dashes`);
    if (this.#panels.has(id)) throw new Error(`id: a panel "${id}" already exists; choose another id`);
    if (columns.length === 0) throw new Error(`columns: the panel "${id}" has no columns; add at least one`);
    const ids = new Set(columns.map((column) => column.id));
    if (ids.size !== columns.length) throw new Error(`columns: two columns of the panel "${id}" have the same id`);
    for (const [field, column] of Object.entries(links ?? {}))
      if (!ids.has(column)) throw new Error(`links.${field}: "${column}" is not a column of the panel "${id}"`);
    if (form && !searches)
      throw new Error(`form: the panel "${id}" has a form; set searches to true, because rows must use its values`);
    const words = form?.filter(({ maxTextBytes }) => maxTextBytes === undefined) ?? [];
    const firstOptional = words.findIndex(({ isOptional = false }) => isOptional);
    if (firstOptional >= 0 && words.slice(firstOptional).some(({ isOptional = false }) => !isOptional))
      throw new Error(`form: a field of the panel "${id}" follows an optional field; put optional fields last`);
    const texts = form?.flatMap(({ maxTextBytes }) => maxTextBytes ?? []) ?? [];
    if (texts.length > 1) throw new Error(`form: the panel "${id}" has ${texts.length} texts; keep one of them`);
    if (texts.some((bytes) => !(bytes >= 1 && bytes <= longestFormText)))
      throw new Error(`form: maxTextBytes of the panel "${id}" is ${texts[0]}; use at most ${longestFormText}`);
    this.#panels.set(id, panel);
  }

  get all(): readonly Pick<Panel, "id" | "title">[] {
    return [...this.#panels.values()].map(({ id, title }) => ({ id, title }));
  }

  /** Returns the maximum size of the text of a panel's form, or undefined if its form has no text. */
  maxTextBytes(id: string): number | undefined {
    return this.#panels.get(id)?.form?.find(({ maxTextBytes }) => maxTextBytes !== undefined)?.maxTextBytes;
  }

  /** Returns the panels that have a row about an object of a controller. */
  about(controller: string, key: string): readonly { readonly id: string; readonly title: string; row: string }[] {
    return [...this.#panels.values()].flatMap(({ id, title, about }) => {
      const row = about?.({ controller, key });
      return row === undefined ? [] : [{ id, title, row }];
    });
  }

  /**
   * Returns the content of a panel, or undefined if the panel does not exist. If the application throws an error, the content contains the
   * error.
   */
  async answer(id: string, question: PanelQuestion): Promise<PanelResponse | undefined> {
    const panel = this.#panels.get(id);
    if (!panel) return undefined;
    const { title, columns, form } = panel;
    const common = { id, title, columns, ...(form ? { form } : {}) };
    try {
      return { ...common, ...shown(panel, await this.#within(() => panel.rows(question)), question.search) };
    } catch (error) {
      return { ...common, rows: [], total: 0, error: redactedText(errorText(error)) };
    }
  }

  /** Returns the page about a row, or undefined if the panel or row does not exist. @throws any error that the application throws */
  async detail(id: string, row: string, question: PanelQuestion): Promise<PanelDetailResponse | undefined> {
    const panel = this.#panels.get(id);
    const { detail } = panel ?? {};
    if (!panel || !detail) return undefined;
    const found = await this.#within(() => detail(row, question));
    return found && { ...new PanelRoom().detail(found), panel: { id, title: panel.title } };
  }

  /**
   * Returns the items in all panels that need a person's attention. A panel that fails or does not respond in time is
   * itself such an item.
   */
  async attention(question: Omit<PanelQuestion, "search">): Promise<readonly AttentionItem[]> {
    const each = [...this.#panels.values()].map(async ({ id, title, attention }): Promise<AttentionItem[]> => {
      if (!attention) return [];
      const here = ["panels", id];
      try {
        const items = await this.#within(() => attention(question), attentionPatienceMs);
        const room = new PanelRoom();
        return items
          .slice(0, maxAttention)
          .map(({ tone, text, to }) => ({ tone, text: String(room.cell(text)), to: to ? partsOf(to) : here }));
      } catch (error) {
        const why = redactedText(errorText(error)).slice(0, 200);
        return [{ tone: "warning", text: `The panel ${title} failed: ${why}`, to: here }];
      }
    });
    return (await Promise.all(each)).flat();
  }

  async #within<T>(ask: () => T | Promise<T>, ms = patienceMs): Promise<T> {
    const late = Promise.withResolvers<never>();
    const timer = this.#clock.after(ms, () => late.reject(new Error(`no response within ${durationText(ms)}`)));
    try {
      return await Promise.race([ask(), late.promise]);
    } finally {
      timer.cancel();
    }
  }
}

/** Returns the address of a place, in parts. */
const partsOf = (place: PanelPlace): string[] =>
  "controller" in place
    ? ["objects", place.controller, place.key]
    : ["panels", place.panel, ...(place.row === undefined ? [] : [place.row])];

function shown(
  { columns, links, searches = false }: Panel,
  answer: readonly PanelRow[] | PanelContent,
  search: string,
): Pick<PanelResponse, "rows" | "total" | "note" | "picture"> {
  const content: PanelContent = "rows" in answer ? answer : { rows: answer };
  const rows = searches ? content.rows : content.rows.filter((row) => hasAll(row, columns, search));
  const total = searches ? (content.total ?? rows.length) : rows.length;
  const room = new PanelRoom();
  const picture = content.picture ?? (links && linked(rows, links));
  return {
    ...(content.note === undefined ? {} : { note: room.cell(content.note) }),
    ...(picture ? { picture: room.picture(picture) } : {}),
    rows: room.rows(rows, columns),
    total,
  };
}

const textOf = (cell: PanelCell | undefined): string =>
  typeof cell === "object" && cell !== null ? cell.text : String(cell ?? "");

/** Reports whether a row contains all words of a search. Only displayed cells are searched, so that a search cannot reveal other fields. */
function hasAll(row: PanelRow, columns: Panel["columns"], search: string): boolean {
  const text = columns
    .map(({ id }) => textOf(row[id]))
    .join(" ")
    .toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** Returns a diagram with one line for each row, which connects the values of two cells. */
function linked(rows: readonly PanelRow[], { from, to, state }: NonNullable<Panel["links"]>): PanelPicture {
  const ends = rows.map((row) => [textOf(row[from]), textOf(row[to]), row[state] ?? null] as const);
  const names = new Set([...ends.map(([one]) => one), ...ends.map(([, other]) => other)].filter(Boolean));
  return {
    nodes: [...names].map((name) => ({ id: name, title: name })),
    edges: ends
      .filter(([one, other]) => one && other)
      .map(([one, other, cell]) => ({
        from: one,
        to: other,
        state: typeof cell === "object" && cell !== null ? cell : { text: textOf(cell) },
      })),
  };
}
