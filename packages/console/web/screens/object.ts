import { type ComponentChild, h } from "preact";
import { useState } from "preact/hooks";
import { post } from "../api.ts";
import { mark } from "../parts/mark.ts";
import { Table } from "../parts/table.ts";
import { causeText, duration, timeOfDay, yamlOf } from "../parts/text.ts";
import type { Cause, Condition, ObjectView, Reconcile, Reconciles, Tone } from "../responses.ts";
import { to } from "../route.ts";
import { useData } from "../use-data.ts";

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
  const { verdict } = work.value ?? {};
  const [row] = work.value?.queue ?? [];
  return h(
    "div",
    null,
    h("p", null, h("a", { href: to("controllers", controller) }, `← ${controller}`)),
    h("h1", null, name),
    (view.value?.panels ?? []).map(({ id, title, row: of }) =>
      h("p", { key: id }, h("a", { href: to("panels", id, of) }, title)),
    ),
    verdict ? h("p", { class: "verdict" }, mark(verdict.tone, verdict.text)) : null,
    h(Actions, { controller, name, view: view.value, isPaused: row?.pausedBy !== undefined }),
    work.error ? h("p", { role: "alert" }, work.error) : null,
    h(Conditions, { conditions: view.value?.object?.status?.conditions ?? [] }),
    h("h2", null, "Timeline"),
    h(
      "ol",
      { class: "timeline" },
      timeline(work.value?.reconciles ?? [], view.value?.events ?? [], work.value?.traceUrl),
    ),
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
  // Not every kind has a schema that requires this.
  const all = (Array.isArray(conditions) ? conditions : []).filter((one) => typeof one === "object" && one !== null);
  if (all.length === 0) return null;
  return h(Table, {
    caption: "Conditions",
    columns: ["Condition", "Status", "Reason", "Message", "Since"],
    none: "",
    rows: all.map((one) => ({
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

/** Shows the fields that changed in the update that caused a reconcile. */
function Changes({ changes }: { readonly changes: Cause["changes"] | undefined }): ComponentChild {
  if (!changes) return null;
  const { fields, isCut } = changes;
  return h(
    "ul",
    { class: "changes" },
    fields.map(({ path, before, after }) =>
      h(
        "li",
        { key: path },
        `${path}: `,
        before === undefined ? "added " : h("del", null, before),
        after === undefined ? " removed" : " ",
        after === undefined ? null : h("ins", null, after),
      ),
    ),
    isCut ? h("li", null, "and more") : null,
  );
}

/** Actions that the viewer may carry out on the object. */
function Actions(props: {
  readonly controller: string;
  readonly name: string;
  readonly view: ObjectView | undefined;
  readonly isPaused: boolean;
}): ComponentChild {
  const { controller, name, view, isPaused } = props;
  const [outcome, setOutcome] = useState("");
  const report = (work: Promise<unknown>, done: string): void =>
    void work.then(
      () => setOutcome(done),
      (error: unknown) => setOutcome(error instanceof Error ? error.message : String(error)),
    );
  const act = (what: string, done: string) => () =>
    report(post(`actions/${encodeURIComponent(controller)}?do=${what}&key=${encodeURIComponent(name)}`), done);
  const button = (title: string, onClick: () => void) => h("button", { type: "button", onClick }, title);
  const object = view?.object;
  if (!object && !view?.mayAct) return null;
  return h(
    "div",
    { class: "filters", role: "group", "aria-label": "Actions" },
    view?.mayAct ? button("Reconcile now", act("reconcile", "Queued")) : null,
    view?.mayAct
      ? isPaused
        ? button("Resume", act("resume", "Resumed"))
        : button("Pause", act("pause", "Paused"))
      : null,
    object
      ? button("Copy as YAML", () => report(navigator.clipboard.writeText(yamlOf(object).trimStart()), "Copied"))
      : null,
    outcome ? h("span", { role: "status" }, outcome) : null,
  );
}

interface Entry {
  readonly key: string;
  readonly atMs: number;
  readonly line: ComponentChild;
}

/** Returns reconciles and Events, newest first. */
function timeline(
  reconciles: readonly Reconcile[],
  events: NonNullable<ObjectView["events"]>,
  traceUrl: string | undefined,
): ComponentChild[] {
  const entries: Entry[] = [
    ...reconciles.map((one) => ({ key: `r${one.number}`, atMs: one.atMs, line: reconcileLine(one, traceUrl) })),
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

/** Texts that follow `success` if the reconcile requested another one, keyed by result. */
const wishes: Readonly<Record<string, string>> = { requeue: ", requeued", requeue_after: ", requeued later" };

function resultText({ result, tookMs }: Reconcile): string {
  const wish = wishes[result];
  return `${wish === undefined ? result : "success"} in ${duration(tookMs)}${wish ?? ""}`;
}

function reconcileLine(reconcile: Reconcile, traceUrl: string | undefined): ComponentChild {
  const { causes, writes, result, error, lines, reconcileID, traceID } = reconcile;
  return h(
    "div",
    null,
    h(
      "ul",
      { class: "causes" },
      causes.map((cause, at) => h("li", { key: at }, causeText(cause), h(Changes, { changes: cause.changes }))),
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
    lines.length > 0
      ? h(
          "ul",
          { class: "causes log" },
          lines.map(({ level, text }, at) => h("li", { key: at }, `${level}: ${text}`)),
        )
      : null,
    mark(tones[result] ?? "neutral", resultText(reconcile)),
    reconcileID ? h("span", { class: "faint" }, ` ID ${reconcileID}`) : null,
    traceID && traceUrl
      ? h("a", { href: traceUrl.replaceAll("{traceId}", encodeURIComponent(traceID)), rel: "noreferrer" }, " Trace")
      : null,
    error ? h("p", { class: "error" }, error) : null,
  );
}
