import { type ComponentChild, h } from "preact";
import { mark } from "../parts/mark.ts";
import { Table } from "../parts/table.ts";
import { duration } from "../parts/text.ts";
import type { Shard, Shards } from "../responses.ts";
import { useData } from "../use-data.ts";

/** Shows which replica holds each shard, and which shards move. */
export function ShardsScreen(): ComponentChild {
  const { value, error } = useData<Shards>("shards", 2);
  if (!value) return h("div", null, h("h1", null, "Shards"), error ? alert(error) : h("p", null, "Loading…"));
  const { identity, replicas, shards, moves } = value;
  const own = shards.filter(({ state }) => state === "held");
  const moving = shards.filter(isMoving);
  const counts = new Map<string, number>(replicas.map((replica) => [replica, 0]));
  for (const { holder } of shards) if (holder) counts.set(holder, (counts.get(holder) ?? 0) + 1);
  return h(
    "div",
    null,
    h("h1", null, "Shards"),
    error ? alert(error) : null,
    h(
      "dl",
      { class: "facts" },
      fact("This replica", identity),
      fact("Held here", `${own.length} of ${shards.length}`),
      fact("Pending moves", moving.length > 0 ? mark("warning", String(moving.length)) : mark("good", "0")),
      fact("Moves here", `${moves.acquired} acquired, ${moves.released} released, ${moves.lost} lost`),
      fact("Leases", leases(value)),
    ),
    h(Table, {
      caption: "Replicas",
      columns: ["Replica", "Shards"],
      none: "No replicas yet",
      rows: [...counts].map(([replica, count]) => ({
        key: replica,
        cells: [replica === identity ? `${replica} (this replica)` : replica, count],
      })),
    }),
    h(Table, {
      caption: "Shards",
      columns: ["Shard", "State", "Holder", "Moves to", "Running here", "Moves"],
      none: "No shards",
      // Shards that move come first.
      rows: [...moving, ...shards.filter((shard) => !isMoving(shard))].map((one) => ({
        key: String(one.shard),
        cells: [one.shard, stateMark(one), one.holder || "None", one.next ?? "", one.running, one.transitions],
      })),
    }),
  );
}

const alert = (error: string): ComponentChild => h("p", { role: "alert" }, error);

const fact = (name: string, value: ComponentChild): ComponentChild =>
  h("div", { key: name }, h("dt", null, name), h("dd", null, value));

const isMoving = ({ next, state }: Shard): boolean => next !== undefined || state === "free" || state === "releasing";

function stateMark({ state, forMs }: Shard): ComponentChild {
  const time = forMs === undefined ? "" : ` for ${duration(Math.max(0, forMs))}`;
  switch (state) {
    case "held":
      return mark("good", `Held here${time}`);
    case "releasing":
      return mark("warning", `Releasing${time}`);
    case "acquiring":
      return mark("warning", `Acquiring${time}`);
    case "elsewhere":
      return mark("neutral", "Other replica");
    case "free":
      return mark("warning", `Not held${time}`);
  }
}

function leases({ listedMs, error }: Shards): ComponentChild {
  const read = listedMs === undefined ? "Not read yet" : `Read ${duration(listedMs)} ago`;
  return error === undefined
    ? mark(listedMs === undefined ? "neutral" : "good", read)
    : mark("bad", `${read}: ${error}`);
}
