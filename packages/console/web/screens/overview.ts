import { type ComponentChild, h } from "preact";
import { useState } from "preact/hooks";
import { save, tick } from "../api.ts";
import { controllerMark, mark } from "../parts/mark.ts";
import { Table } from "../parts/table.ts";
import { duration } from "../parts/text.ts";
import type { Cached, Overview } from "../responses.ts";
import { to } from "../route.ts";

const staleMs = 300_000;
const soonMs = 14 * 86_400_000;

export function OverviewScreen({ overview }: { readonly overview: Overview }): ComponentChild {
  const now = tick.value ?? overview;
  const troubles = new Map(overview.caches.map(({ name, lastError }) => [name, lastError]));
  return h(
    "div",
    null,
    h("h1", null, overview.name),
    h(NeedsAttention, { attention: overview.attention }),
    h(
      "dl",
      { class: "facts" },
      fact("Leader", leader(now.leadership)),
      fact("Caches", cacheSummary(now.caches)),
      fact("Certificates", certificates(overview, now.atMs)),
      fact("Uptime", duration(now.atMs - overview.startedMs)),
    ),
    overview.maySaveRecording ? h(SaveRecording, { name: overview.name }) : null,
    h(Table, {
      caption: "Controllers",
      columns: ["Controller", "State", "Waiting", "Running", "Held back", "Failing", "Reconciles", "Errors"],
      none: "No controllers",
      rows: now.controllers.map((one) => ({
        key: one.name,
        cells: [
          h("a", { href: to("controllers", one.name) }, one.name),
          controllerMark(one, now.leadership),
          one.queueLength,
          `${one.running} of ${one.maxConcurrentReconciles}`,
          one.held,
          one.failing > 0 ? mark("bad", String(one.failing)) : mark("good", "0"),
          one.totals.reconciles,
          one.totals.errors,
        ],
      })),
    }),
    h(Table, {
      caption: "Caches",
      columns: ["Kind", "State", "Last update", "Objects", "Last error"],
      none: "No caches yet",
      rows: now.caches.map((one) => ({
        key: one.name,
        cells: [
          one.name.replace(/^.*Kind=/, ""),
          freshness(one),
          one.ageMs === undefined ? "never" : `${duration(one.ageMs)} ago`,
          one.objects,
          troubles.get(one.name) ?? "",
        ],
      })),
    }),
  );
}

/** Saves the recorded reconciles, for `kubewright replay`. */
function SaveRecording({ name }: { readonly name: string }): ComponentChild {
  const [problem, setProblem] = useState("");
  const onClick = (): void =>
    void save("recording", `${name}.kwr`).then(
      () => setProblem(""),
      (error: unknown) => setProblem(error instanceof Error ? error.message : String(error)),
    );
  return h(
    "div",
    { class: "filters" },
    h("button", { type: "button", onClick }, "Save recording"),
    problem ? h("span", { role: "alert" }, problem) : null,
  );
}

function NeedsAttention({ attention }: Pick<Overview, "attention">): ComponentChild {
  const { items, total } = attention;
  if (total === 0) return h("p", { class: "calm" }, mark("good", "Nothing needs attention"));
  return h(
    "section",
    { class: "attention", "aria-label": "Needs attention" },
    h("h2", null, `Needs attention (${total})`),
    h(
      "ul",
      null,
      items.map(({ tone, text, to: place }, at) =>
        h("li", { key: at }, place ? h("a", { href: to(...place) }, mark(tone, text)) : mark(tone, text)),
      ),
    ),
    total > items.length ? h("p", null, `Showing ${items.length} of ${total}`) : null,
  );
}

const fact = (name: string, value: ComponentChild): ComponentChild =>
  h("div", { key: name }, h("dt", null, name), h("dd", null, value));

function leader({ isElected, leads, leader: name }: Overview["leadership"]): ComponentChild {
  if (!isElected) return mark("neutral", "No leader election");
  if (leads) return mark("good", `This process, ${name}`);
  return name ? mark("neutral", name) : mark("warning", "No leader yet");
}

function freshness({ hasSynced, isUnserved, ageMs = Number.POSITIVE_INFINITY }: Cached): ComponentChild {
  if (isUnserved) return mark("bad", "Not served");
  if (!hasSynced) return mark("bad", "Not synced");
  return ageMs > staleMs ? mark("warning", "Outdated") : mark("good", "Up to date");
}

function cacheSummary(caches: readonly Cached[]): ComponentChild {
  const fresh = caches.filter(
    ({ hasSynced, ageMs = Number.POSITIVE_INFINITY }) => hasSynced && ageMs <= staleMs,
  ).length;
  return mark(fresh === caches.length ? "good" : "warning", `${fresh} of ${caches.length} up to date`);
}

/** Lists the certificate of each server. The one that expires first is at the top. */
function certificates({ certificates: all, counts }: Overview, atMs: number): ComponentChild {
  if (all.length === 0) return counts.webhooks > 0 ? mark("warning", "None yet") : mark("neutral", "None needed");
  return all
    .map(({ name, notAfter }) => ({ name, leftMs: Date.parse(notAfter) - atMs }))
    .sort((a, b) => a.leftMs - b.leftMs)
    .map(({ name, leftMs }) => {
      if (leftMs <= 0) return h("div", { key: name }, mark("bad", `${name}: expired`));
      const tone = leftMs < soonMs ? "warning" : "good";
      return h("div", { key: name }, mark(tone, `${name}: expires in ${duration(leftMs)}`));
    });
}
