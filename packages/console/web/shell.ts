import { type ComponentChild, h } from "preact";
import { useEffect, useState } from "preact/hooks";
import { access, bring, isLive, tick } from "./api.ts";
import { mark } from "./parts/mark.ts";
import { timeOfDay } from "./parts/text.ts";
import type { Overview } from "./responses.ts";
import { route, to } from "./route.ts";
import { ControllersScreen } from "./screens/controllers.ts";
import { ObjectScreen } from "./screens/object.ts";
import { OverviewScreen } from "./screens/overview.ts";
import { PanelScreen } from "./screens/panel.ts";
import { PanelDetailScreen } from "./screens/panel-detail.ts";
import { PermissionsScreen } from "./screens/permissions.ts";
import { QueueScreen } from "./screens/queue.ts";
import { WebhooksScreen } from "./screens/webhooks.ts";
import { useData } from "./use-data.ts";

export function Shell(): ComponentChild {
  if (access.value === "out") return h(Door, null);
  if (access.value === "asking") return h("main", { id: "main" }, h("p", null, "Loading…"));
  return h(Rooms, null);
}

function Rooms(): ComponentChild {
  const { value: overview, error } = useData<Overview>("overview", 5);
  const panels = overview?.panels ?? [];
  const urgent = overview?.attention.total ?? 0;
  useEffect(() => {
    document.title = `${urgent > 0 ? `(${urgent}) ` : ""}${overview?.name ?? "Console"}`;
  }, [urgent, overview?.name]);
  const links = [
    ["overview", "Overview"],
    ["controllers", "Controllers"],
    ["rbac", "Permissions"],
    ["webhooks", "Webhooks"],
  ] as const;
  const isAt = (...parts: readonly string[]): boolean => parts.every((part, at) => route.value[at] === part);
  const link = (parts: readonly string[], title: string): ComponentChild =>
    h(
      "li",
      { key: parts.join("/") },
      h("a", { href: to(...parts), "aria-current": isAt(...parts) ? "page" : undefined }, title),
    );
  return h(
    "div",
    { class: isLive.value ? "shell" : "shell gone" },
    h("a", { class: "skip", href: "#main", onClick: skip }, "Skip to content"),
    h(
      "header",
      null,
      h(
        "nav",
        { "aria-label": "Screens" },
        h(
          "ul",
          null,
          links.map(([part, title]) => link([part], title)),
          panels.map(({ id, title }) => link(["panels", id], title)),
        ),
      ),
      h("p", { class: "live", role: "status" }, isLive.value ? mark("good", "Live") : mark("warning", goneText())),
    ),
    h("main", { id: "main", tabIndex: -1 }, error ? h("p", { role: "alert" }, error) : screen(overview)),
  );
}

/** Returns the text that is shown while the program does not respond: everything on the page is as of the last update. */
const goneText = (): string => (tick.value ? `Disconnected, as of ${timeOfDay(tick.value.atMs)}` : "Disconnected");

function skip(event: Event): void {
  event.preventDefault();
  document.querySelector("main")?.focus();
}

function screen(overview: Overview | undefined): ComponentChild {
  const [where, name = "", key = ""] = route.value;
  switch (where) {
    case "controllers":
      return name ? h(QueueScreen, { key: name, name }) : h(ControllersScreen, null);
    case "objects":
      return h(ObjectScreen, { key: `${name} ${key}`, controller: name, name: key });
    case "rbac":
      return h(PermissionsScreen, null);
    case "webhooks":
      return h(WebhooksScreen, null);
    case "panels":
      return key
        ? h(PanelDetailScreen, { key: `${name} ${key}`, id: name, row: key })
        : h(PanelScreen, { key: name, id: name });
    default:
      return overview ? h(OverviewScreen, { overview }) : h("p", null, "Loading…");
  }
}

/** Sign-in screen for browsers without a session. Accepts a token of a cluster user. */
function Door(): ComponentChild {
  const [token, setToken] = useState("");
  return h(
    "main",
    { id: "main", class: "door" },
    h("h1", null, "Sign in"),
    h(
      "p",
      null,
      "Open the address that the program printed (it works once), or enter the token of a user who may access this path.",
    ),
    h(
      "form",
      {
        onSubmit: (event: Event) => {
          event.preventDefault();
          bring(token.trim());
        },
      },
      h(
        "label",
        null,
        "Token ",
        h("input", {
          type: "password",
          autocomplete: "off",
          value: token,
          onInput: (event: Event) => {
            if (event.currentTarget instanceof HTMLInputElement) setToken(event.currentTarget.value);
          },
        }),
      ),
      h("button", { type: "submit" }, "Sign in"),
    ),
  );
}
