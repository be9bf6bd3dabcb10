import { type ComponentChild, h } from "preact";
import { useState } from "preact/hooks";
import { Chart } from "../parts/chart.ts";
import { mark } from "../parts/mark.ts";
import { Table } from "../parts/table.ts";
import { causeText, duration } from "../parts/text.ts";
import type { Queue, Row } from "../responses.ts";
import { to } from "../route.ts";
import { useData } from "../use-data.ts";

export function QueueScreen({ name }: { readonly name: string }): ComponentChild {
  const [search, setSearch] = useState("");
  const query = search ? `?search=${encodeURIComponent(search)}` : "";
  const { value, error } = useData<Queue>(`queues/${encodeURIComponent(name)}${query}`);
  return h(
    "div",
    null,
    h("h1", null, name),
    error ? h("p", { role: "alert" }, error) : null,
    h(
      "label",
      { class: "search" },
      "Search keys ",
      h("input", {
        type: "search",
        id: "search",
        value: search,
        onInput: (event: Event) => {
          if (event.currentTarget instanceof HTMLInputElement) setSearch(event.currentTarget.value);
        },
      }),
    ),
    value ? h(Shown, { name, queue: value }) : h("p", null, "Loading…"),
  );
}

function Shown({ name, queue: value }: { readonly name: string; readonly queue: Queue }): ComponentChild {
  const { queue, history } = value;
  const total = `${queue.total}${queue.isWhole ? "" : " or more"}`;
  return h(
    "div",
    null,
    value.refused ? h("p", { role: "status" }, `Keys are hidden: ${value.refused}.`) : null,
    h(
      "p",
      { "data-testid": "counts" },
      `${value.queueLength} waiting, ${value.running} running, ${value.held} held back, ${value.failing} failing. Showing ${queue.rows.length} of ${total} keys.`,
    ),
    h(Table, {
      caption: `Keys of ${name}`,
      columns: ["Key", "State", "Causes", "Retries", "Last error"],
      none: "No keys",
      rows: queue.rows.map((row) => ({
        key: row.key,
        cells: [
          h("a", { href: to("objects", name, row.key) }, row.key),
          stateOf(row),
          h(
            "ul",
            { class: "causes" },
            row.causes.map((cause, at) => h("li", { key: at }, causeText(cause))),
          ),
          row.requeues,
          row.failure ? `${row.failure.error} (${row.failure.times}×)` : "",
        ],
      })),
    }),
    h(Chart, {
      title: "Waiting and failing",
      atMs: history.atMs,
      series: [
        { label: "waiting", values: history.depth },
        { label: "failing", values: history.failing, isDashed: true },
      ],
    }),
    h(Chart, {
      title: "Mean duration in ms",
      atMs: history.atMs,
      series: [{ label: "mean", values: history.meanMs }],
    }),
  );
}

export function stateOf({ state, forMs, unseen = [] }: Row): ComponentChild {
  const time = forMs === undefined ? "" : duration(Math.max(0, forMs)); // a request that is due may be slightly late
  switch (state) {
    case "running":
      return mark("good", `Running for ${time}`);
    case "held":
      return mark("warning", `Held back for ${time}: waiting for own write (${unseen.join(", ")})`);
    case "failing":
      return mark("bad", time ? `Retrying in ${time}` : "Retrying");
    case "delayed":
      return mark("neutral", `Scheduled in ${time}`);
    case "ready":
      return mark("neutral", time ? `Waiting for ${time}` : "Waiting");
  }
}
