import { type ComponentChild, h } from "preact";
import { useState } from "preact/hooks";
import { post } from "../api.ts";
import { shown } from "../parts/cell.ts";
import { Picture } from "../parts/picture.ts";
import { Search, SearchForm, searchQuery } from "../parts/search.ts";
import { Table } from "../parts/table.ts";
import type { Panel } from "../responses.ts";
import { searched } from "../route.ts";
import { useData } from "../use-data.ts";

const maxShown = 200;
/** Number of rows below which the search field is hidden. */
const few = 8;

/** Result of submitting the text of a form. */
interface Sent {
  readonly panel?: Panel;
  readonly error?: string;
  readonly isRunning?: boolean;
}

export function PanelScreen({ id }: { readonly id: string }): ComponentChild {
  const search = searched();
  const query = search ? `?${searchQuery()}` : "";
  const { value, error } = useData<Panel>(`panels/${encodeURIComponent(id)}${query}`, 2);
  const [last, setLast] = useState<Panel | undefined>(undefined);
  if (value && value !== last) setLast(value);
  const [sent, setSent] = useState<Sent>({});
  const submit = (text: string): void => {
    setSent({ isRunning: true });
    const path = `panels/${encodeURIComponent(id)}?${searchQuery()}`;
    post<Panel>(path, text).then(
      (panel) => setSent({ panel }),
      (reason: unknown) => setSent({ error: reason instanceof Error ? reason.message : String(reason) }),
    );
  };
  const panel = sent.panel ?? value ?? last; // while a new search runs, the earlier results remain visible
  if (!panel)
    return h("div", null, h("h1", null, id), h("p", { role: error ? "alert" : undefined }, error ?? "Loading…"));
  const { title, columns, rows, total, note, picture, form } = panel;
  const visible = rows.slice(0, maxShown);
  const hasText = form?.some(({ maxTextBytes }) => maxTextBytes !== undefined) ?? false;
  const problem = sent.error ?? panel.error ?? error;
  const hasPicture = picture && picture.nodes.length > 0;
  return h(
    "div",
    null,
    h("h1", null, title),
    form ? h(SearchForm, hasText ? { fields: form, onText: submit } : { fields: form }) : null,
    note && !sent.error ? h("p", null, shown(note)) : null,
    sent.isRunning ? h("p", { role: "status" }, "Loading…") : null,
    problem ? h("p", { role: "alert" }, problem) : null,
    hasPicture ? h(Picture, { title, picture }) : null,
    form ? null : search || total > few ? h(Search, { label: "Search" }) : null,
    visible.length < total ? h("p", { role: "status" }, `Showing ${visible.length} of ${total}`) : null,
    h(Table, {
      caption: title,
      columns: columns.map((column) => column.title),
      none: search ? "No matches" : "No data",
      rows: visible.map((row, at) => ({ key: String(at), cells: columns.map((column) => shown(row[column.id])) })),
    }),
  );
}
