import { type ComponentChild, h } from "preact";
import { useEffect, useState } from "preact/hooks";
import { access, bring, isLive, post, tick } from "./api.ts";
import { mark } from "./parts/mark.ts";
import { timeOfDay } from "./parts/text.ts";
import type { Overview } from "./responses.ts";
import { route, to } from "./route.ts";
import { ControllersScreen } from "./screens/controllers.ts";
import { KeysScreen, KindsScreen } from "./screens/kinds.ts";
import { ObjectScreen } from "./screens/object.ts";
import { OverviewScreen } from "./screens/overview.ts";
import { PanelScreen } from "./screens/panel.ts";
import { PanelDetailScreen } from "./screens/panel-detail.ts";
import { PermissionsScreen } from "./screens/permissions.ts";
import { QueueScreen } from "./screens/queue.ts";
import { ShardsScreen } from "./screens/shards.ts";
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
    ["kinds", "Objects"],
    ...(overview?.isSharded ? ([["shards", "Shards"]] as const) : []),
    ["rbac", "Permissions"],
    ["webhooks", "Webhooks"],
  ] as const;
  const isAt = (...parts: readonly string[]): boolean => parts.every((part, at) => route()[at] === part);
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
      h(Help, null),
      h("p", { class: "live", role: "status" }, isLive.value ? mark("good", "Live") : mark("warning", goneText())),
    ),
    h("main", { id: "main", tabIndex: -1 }, error ? h("p", { role: "alert" }, error) : screen(overview)),
  );
}

/** Returns the text that is shown while the program does not respond, with the time of the data on the page. */
const goneText = (): string => (tick.value ? `Disconnected, as of ${timeOfDay(tick.value.atMs)}` : "Disconnected");

/** Opens the list of keyboard shortcuts. */
export function showHelp(): void {
  const dialog = document.getElementById("help");
  if (dialog instanceof HTMLDialogElement && !dialog.open) dialog.showModal();
}

function skip(event: Event): void {
  event.preventDefault();
  document.querySelector("main")?.focus();
}

function screen(overview: Overview | undefined): ComponentChild {
  const [where, name = "", key = ""] = route();
  switch (where) {
    case "controllers":
      return name ? h(QueueScreen, { key: name, name, state: key }) : h(ControllersScreen, null);
    case "kinds":
      return name ? h(KeysScreen, { key: name, controller: name }) : h(KindsScreen, null);
    case "objects":
      return h(ObjectScreen, { key: `${name} ${key}`, controller: name, name: key });
    case "shards":
      return h(ShardsScreen, null);
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

/** Lists the keyboard shortcuts, and creates an address for another browser. Opens with `?`. */
function Help(): ComponentChild {
  const [link, setLink] = useState("");
  const request = (): void => {
    post<{ readonly url: string }>("link").then(
      ({ url }) => setLink(url),
      (error: unknown) => setLink(error instanceof Error ? error.message : String(error)),
    );
  };
  return h(
    "div",
    null,
    h("button", { type: "button", "aria-label": "Help", class: "help", onClick: showHelp }, "?"),
    h(
      "dialog",
      { id: "help", "aria-label": "Help" },
      h("h2", null, "Keys"),
      h(
        "dl",
        { class: "keys" },
        keys.map(([key, what]) => h("div", { key }, h("dt", null, h("kbd", null, key)), h("dd", null, what))),
      ),
      h("h2", null, "Another browser or tab"),
      h("p", null, h("button", { type: "button", onClick: request }, "Create an address")),
      link ? h("p", { class: "address", role: "status" }, link) : null,
      h("form", { method: "dialog" }, h("button", { type: "submit" }, "Close")),
    ),
  );
}

const keys = [
  ["/", "Search"],
  ["?", "Help"],
  ["o", "Overview"],
  ["c", "Controllers"],
  ["b", "Objects"],
  ["Esc", "Close"],
] as const;

/** Sign-in screen for browsers without a session. Accepts a token of a cluster user. */
function Door(): ComponentChild {
  const [token, setToken] = useState("");
  const [printed, setPrinted] = useState("");
  const print = (): void => {
    post("link").then(
      () => setPrinted("The program has printed a new address."),
      (error: unknown) => setPrinted(error instanceof Error ? error.message : String(error)),
    );
  };
  return h(
    "main",
    { id: "main", class: "door" },
    h("h1", null, "Sign in"),
    h(
      "p",
      null,
      "Open the address that the program printed (it works once), or enter the token of a user who may access this path.",
    ),
    h("p", null, h("button", { type: "button", onClick: print }, "Print a new address in the program's terminal")),
    printed ? h("p", { role: "status" }, printed) : null,
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
