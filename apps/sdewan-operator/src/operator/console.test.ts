import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { Console } from "@kubewright/console";
import { silentLogger } from "@kubewright/log";
import { Manager } from "@kubewright/manager";
import { expect, it, onTestFinished } from "vitest";
import type { OperatorView } from "../panels/operator-view.ts";
import { showConsole } from "./console.ts";

it("shows signed-in users the entire state of the operator", async () => {
  const manager = new Manager({
    connection: { server: "http://127.0.0.1:1" },
    ...{ metrics: { bindAddress: "0" }, logger: silentLogger },
  });
  const added: unknown[] = [];
  const hear = (message: unknown): void => void added.push(message);
  subscribe("kubewright.console", hear);
  onTestFinished(() => void unsubscribe("kubewright.console", hear));
  const operatorView = { leadership: () => ({ leads: true, leader: "" }) } as OperatorView; // only rows are requested
  showConsole(manager, operatorView, { bindAddress: "127.0.0.1:0" });
  const [view] = added;
  if (!(view instanceof Console)) return expect.unreachable();
  const stop = new AbortController();
  const running = manager.run(stop.signal);
  await view.ready();
  const overview = `http://127.0.0.1:${view.port}/debug/kubewright/v1/overview`;
  expect((await fetch(overview)).status).not.toBe(200);
  const session = `http://127.0.0.1:${view.port}/debug/kubewright/v1/session`;
  const entered = await fetch(session, { method: "POST", body: view.newUrl().split("#t=")[1] ?? "" });
  const { session: own } = (await entered.json()) as { readonly session: string };
  const response = await fetch(overview, { headers: { "kubewright-session": own } });
  const { panels } = (await response.json()) as { panels: readonly { readonly id: string }[] };
  expect(panels.map(({ id }) => id)).toEqual(["cnfs", "tunnels", "ways", "flows", "plans"]);
  stop.abort();
  await running;
});
