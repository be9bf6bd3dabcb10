import { type ComponentChild, h } from "preact";
import { tick } from "../api.ts";
import { Chart } from "../parts/chart.ts";
import { controllerMark, mark } from "../parts/mark.ts";
import type { Controller } from "../responses.ts";
import { to } from "../route.ts";
import { useData } from "../use-data.ts";

export function ControllersScreen(): ComponentChild {
  const { value, error } = useData<readonly Controller[]>("controllers", 2);
  if (error) return h("p", { role: "alert" }, error);
  return h(
    "div",
    null,
    h("h1", null, "Controllers"),
    value?.length === 0 ? h("p", null, "No controllers") : null,
    h(
      "div",
      { class: "cards" },
      (value ?? []).map((one) => h(Card, { key: one.name, one })),
    ),
  );
}

function Card({ one }: { readonly one: Controller }): ComponentChild {
  const { history } = one;
  return h(
    "section",
    { class: "card", "aria-label": one.name },
    h("h2", null, h("a", { href: to("controllers", one.name) }, one.name)),
    h("p", { class: "faint" }, relations(one)),
    h(
      "p",
      null,
      controllerMark(one, tick.value?.leadership),
      ` · ${one.queueLength} waiting · ${one.running} of ${one.maxConcurrentReconciles} running · ${one.held} held back · `,
      one.failing > 0 ? mark("bad", `${one.failing} failing`) : "0 failing",
    ),
    h(Chart, {
      title: `${one.name} per second`,
      atMs: history.atMs,
      height: 110,
      series: [
        { label: "reconciles", values: history.reconciles },
        { label: "errors", values: history.errors, isDashed: true },
      ],
    }),
  );
}

function relations({ for: main, owns, watches }: Controller): string {
  const parts = [
    main ? `for ${main.kind}` : "",
    owns.length ? `owns ${owns.join(", ")}` : "",
    watches.length ? `watches ${watches.join(", ")}` : "",
  ];
  return parts.filter(Boolean).join(" · ");
}
