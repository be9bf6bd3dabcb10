import { type ComponentChild, h } from "preact";
import { mark } from "../parts/mark.ts";
import { Table } from "../parts/table.ts";
import { causeText, duration, timeOfDay } from "../parts/text.ts";
import type { Condition, ObjectView, Reconcile, Reconciles, Tone } from "../responses.ts";
import { to } from "../route.ts";
import { useData } from "../use-data.ts";
import { stateOf } from "./queue.ts";

export function ObjectScreen({
  controller,
  name,
}: {
  readonly controller: string;
  readonly name: string;
}): ComponentChild {
  const key = encodeURIComponent(name);
  const work = useData<Reconciles>(`reconciles?controller=${encodeURIComponent(controller)}&key=${key}`);
  const view = useData<ObjectView>(`objects/${encodeURIComponent(controller)}?key=${key}`, 3);
  const [row] = work.value?.queue ?? [];
  return h(
    "div",
    null,
    h("p", null, h("a", { href: to("controllers", controller) }, `← ${controller}`)),
    h("h1", null, name),
    (view.value?.panels ?? []).map(({ id, title, row: of }) =>
      h("p", { key: id }, h("a", { href: to("panels", id, of) }, title)),
    ),
    h("p", null, row ? stateOf(row) : mark("neutral", "Idle")),
    row?.failure ? h("p", null, mark("bad", row.failure.error)) : null,
    work.error ? h("p", { role: "alert" }, work.error) : null,
    h(Conditions, { conditions: view.value?.object?.status?.conditions ?? [] }),
    h("h2", null, "Timeline"),
    h("ol", { class: "timeline" }, timeline(work.value?.reconciles ?? [], view.value?.events ?? [])),
    h("h2", null, "Object"),
    view.error ? h("p", { role: "alert" }, view.error) : null,
    view.value && !view.value.object ? h("p", null, "This object no longer exists.") : null,
    view.value?.object
      ? h(
          "pre",
          { tabIndex: 0, role: "region", "aria-label": "The object as JSON" },
          JSON.stringify(view.value.object, null, 2),
        )
      : null,
  );
}

function Conditions({ conditions }: { readonly conditions: readonly Condition[] }): ComponentChild {
  if (!Array.isArray(conditions) || conditions.length === 0) return null;
  return h(Table, {
    caption: "Conditions",
    columns: ["Condition", "Status", "Reason", "Message", "Since"],
    none: "",
    rows: conditions.map((one) => ({
      key: one.type,
      cells: [
        one.type,
        mark(one.status === "True" ? "good" : one.status === "False" ? "bad" : "warning", one.status),
        one.reason ?? "",
        one.message ?? "",
        one.lastTransitionTime ? timeOfDay(Date.parse(one.lastTransitionTime)) : "",
      ],
    })),
  });
}

interface Entry {
  readonly key: string;
  readonly atMs: number;
  readonly line: ComponentChild;
}

/** Returns reconciles and Events, newest first. */
function timeline(reconciles: readonly Reconcile[], events: NonNullable<ObjectView["events"]>): ComponentChild[] {
  const entries: Entry[] = [
    ...reconciles.map((one) => ({ key: `r${one.number}`, atMs: one.atMs, line: reconcileLine(one) })),
    ...events.map(({ atMs, type, reason, message, count }, at) => ({
      key: `e${at}`,
      atMs,
      line: mark(
        type === "Warning" ? "warning" : "neutral",
        `Event ${reason}: ${message}${count > 1 ? ` (${count}×)` : ""}`,
      ),
    })),
  ];
  entries.sort((a, b) => b.atMs - a.atMs);
  return entries.map(({ key, atMs, line }) => h("li", { key }, h("time", null, timeOfDay(atMs)), line));
}

const tones: Readonly<Record<string, Tone>> = { success: "good", error: "bad" };

/** Texts that follow `success` if the reconcile requested another one, by result. */
const wishes: Readonly<Record<string, string>> = { requeue: ", requeued", requeue_after: ", requeued later" };

function resultText({ result, tookMs }: Reconcile): string {
  const wish = wishes[result];
  return `${wish === undefined ? result : "success"} in ${duration(tookMs)}${wish ?? ""}`;
}

function reconcileLine(reconcile: Reconcile): ComponentChild {
  const { causes, writes, result, error } = reconcile;
  return h(
    "div",
    null,
    h(
      "ul",
      { class: "causes" },
      causes.map((cause, at) => h("li", { key: at }, causeText(cause))),
    ),
    h(
      "ul",
      { class: "causes" },
      writes.map((write, at) =>
        h(
          "li",
          { key: at },
          `${write.verb} ${write.resource} ${write.key}`,
          write.error ? mark("bad", write.error) : null,
        ),
      ),
    ),
    mark(tones[result] ?? "neutral", resultText(reconcile)),
    error ? h("p", { class: "error" }, error) : null,
  );
}
