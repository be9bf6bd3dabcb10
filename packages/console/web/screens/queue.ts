import { type ComponentChild, h } from "preact";
import { Chart } from "../parts/chart.ts";
import { mark } from "../parts/mark.ts";
import { Search, searchQuery } from "../parts/search.ts";
import { Table } from "../parts/table.ts";
import { causeText, duration } from "../parts/text.ts";
import type { Queue, Row } from "../responses.ts";
import { to } from "../route.ts";
import { useData } from "../use-data.ts";

const states = ["running", "paused", "held", "failing", "ready", "delayed"] as const;

/** @param state shows only keys in this state; empty to show all keys */
export function QueueScreen({ name, state }: { readonly name: string; readonly state: string }): ComponentChild {
  const query = [searchQuery(), state ? `state=${encodeURIComponent(state)}` : ""].filter(Boolean).join("&");
  const { value, error } = useData<Queue>(`queues/${encodeURIComponent(name)}${query ? `?${query}` : ""}`);
  return h(
    "div",
    null,
    h("h1", null, name),
    h("p", null, h("a", { href: to("kinds", name) }, "All objects")),
    error ? h("p", { role: "alert" }, error) : null,
    h(
      "div",
      { class: "filters" },
      h(Search, { label: "Search keys" }),
      h(
        "label",
        { class: "search" },
        "State ",
        h(
          "select",
          {
            value: state,
            onChange: (event: Event) => {
              if (!(event.currentTarget instanceof HTMLSelectElement)) return;
              const chosen = event.currentTarget.value;
              location.hash = to("controllers", name, ...(chosen ? [chosen] : []));
            },
          },
          h("option", { value: "" }, "All"),
          states.map((one) => h("option", { key: one, value: one }, stateNames[one])),
        ),
      ),
    ),
    value ? h(Shown, { name, queue: value }) : error ? null : h("p", null, "Loading…"),
  );
}

/** Names of the states of keys. */
export const stateNames: Readonly<Record<Row["state"], string>> = {
  running: "Running",
  paused: "Paused",
  held: "Held back",
  failing: "Failing",
  ready: "Waiting",
  delayed: "Scheduled",
};

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
          row.failure ? h("span", { class: "error" }, `${row.failure.error} (${row.failure.times}×)`) : "",
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

function stateOf({ state, forMs, unseen = [], failure, pausedBy }: Row): ComponentChild {
  const time = forMs === undefined ? "" : duration(Math.max(0, forMs)); // a request that is due may be slightly late
  switch (state) {
    case "running":
      return mark("good", `Running for ${time}`);
    case "held":
      return mark("warning", `Held back for ${time}: waiting for own write (${unseen.join(", ")})`);
    case "failing":
      if (failure?.isTerminal && !time) return mark("bad", "Gave up");
      return mark("bad", time ? `Retrying in ${time}` : "Retrying");
    case "paused":
      return mark("warning", `Paused by ${pausedBy} ${time} ago`);
    case "delayed":
      return mark("neutral", `Scheduled in ${time}`);
    case "ready":
      return mark("neutral", time ? `Waiting for ${time}` : "Waiting");
  }
}
