import { setImmediate as nextTurn } from "node:timers/promises";
import { type Clock, systemClock } from "@kubewright/clock";
import { addConsole } from "@kubewright/console";
import { createLogger, silentLogger } from "@kubewright/log";
import type { Manager } from "@kubewright/manager";
import { CommanderError } from "commander";
import { oneLine, UserError } from "../src/cli/user-error.ts";
import { cnfPods } from "../src/cnf/cnf-pods.ts";
import { operatorPanels } from "../src/panels/operator-panels.ts";
import type { OperatorView } from "../src/panels/operator-view.ts";
import { Demo } from "./demo.ts";
import { install, nameOf } from "./install.ts";
import { inApp, readManifests } from "./manifests.ts";
import { type DemoOptions, demoOptions } from "./options.ts";
import { unsettled } from "./settled.ts";
import { showBuckets } from "./show-buckets.ts";
import { objectRows } from "./snapshot.ts";
import { cnfTable, objectTable } from "./table.ts";
import { JsonView, LineView, TerminalView, type View } from "./view.ts";

const onceMs = 60_000;
const tickMs = 250;
const maxUnseenMs = 2_000;
/** Maximum duration of an orderly stop, in milliseconds. */
const maxStopMs = 1_800;

async function main(options: DemoOptions, signal: AbortSignal, clock: Clock): Promise<number> {
  await nextTurn(); // signals that arrived while the program was loading take effect now
  if (signal.aborted) return options.once ? 1 : 0;
  const samples = options.samples === undefined ? [] : await readManifests(options.samples);
  const view = viewFor(options);
  const demo = await Demo.start({
    port: options.port,
    kubeconfigOut: options.kubeconfigOut,
    cnfs: await readManifests(inApp("cnfs")),
    operator: options.once ? {} : { prepare: (manager, operatorView) => showConsole(manager, operatorView, view) },
    logger: options.verbose ? createLogger({ level: "debug" }) : silentLogger,
    clock,
  });
  const restart = (): void => {
    view.print("restarting the API server");
    demo.plane
      .restartServer()
      .catch((error: unknown) => view.print(`the API server did not restart: ${oneLine(error)}`));
  };
  process.on("SIGUSR2", restart);
  try {
    view.print(`pid ${process.pid}`);
    view.print(`API server at ${demo.plane.url}`);
    view.print(`kubectl --kubeconfig ${options.kubeconfigOut} get mwan3policies -A`);
    const users = await readManifests(inApp("users"));
    const refused = signal.aborted ? [] : await install(demo.client, [...users, ...samples]);
    for (const { object, error } of refused) view.print(`refused: ${nameOf(object)}: ${oneLine(error)}`);
    const shown = showBuckets(demo, options.kubeconfigOut, view, signal, clock);
    const failed = demo.ended.then(() => {});
    return await Promise.race([
      options.once
        ? shown.then(() => once(demo, options, refused.length > 0, signal, clock))
        : live(demo, view, signal, clock),
      failed.then(() => 0),
    ]);
  } finally {
    process.off("SIGUSR2", restart);
    await Promise.race([demo.stop(), clock.sleep(maxStopMs)]);
  }
}

// #region console
/**
 * Serves the console on any free loopback port. Only the first browser that
 * opens its address can use it.
 */
function showConsole(manager: Manager, operatorView: OperatorView, view: View): void {
  const shown = addConsole(manager, { bindAddress: "127.0.0.1:0" });
  for (const panel of operatorPanels(operatorView)) shown.panel(panel);
  void shown.ready().then(
    () => view.print(`console ${shown.newUrl()}`),
    () => {}, // the manager ends with the same error
  );
}
// #endregion console

/**
 * Shows changes until the signal aborts. Queries CNFs after changes that may affect them, and occasionally in between: when a restarted
 * CNF gets its objects again, no resource changes.
 */
async function live(demo: Demo, view: View, signal: AbortSignal, clock: Clock): Promise<number> {
  let shown = "";
  let shownMs = Number.NEGATIVE_INFINITY;
  while (!signal.aborted) {
    const [objects, pods] = await Promise.all([objectRows(demo.reader), cnfPods(demo.reader)]);
    const present = JSON.stringify([objects, pods.map(({ metadata, status }) => [metadata.uid, status])]);
    if (present !== shown || clock.monotonic() - shownMs > maxUnseenMs) {
      view.show(await demo.snapshot());
      shownMs = clock.monotonic();
    }
    shown = present;
    await clock.sleep(tickMs, signal);
  }
  return 0;
}

/**
 * Waits until everything is in sync, then shows it.
 *
 * @returns the exit code
 */
async function once(demo: Demo, options: DemoOptions, hasRefused: boolean, signal: AbortSignal, clock: Clock) {
  const endMs = clock.monotonic() + onceMs;
  for (;;) {
    const snapshot = await demo.snapshot();
    const reasons = await unsettled(demo.reader, snapshot);
    const isOver = signal.aborted || clock.monotonic() > endMs;
    if (reasons.length > 0 && !isOver) {
      await clock.sleep(tickMs, signal);
      continue;
    }
    if (options.output === "json") process.stdout.write(`${JSON.stringify(snapshot)}\n`);
    else {
      const { isTTY, columns: width } = process.stdout;
      const style = isTTY ? { colours: process.stdout.hasColors(), width } : { colours: false };
      const lines = [...objectTable(snapshot.objects, style), "", ...cnfTable(snapshot.cnfs, style)];
      process.stdout.write(`${lines.join("\n")}\n`);
    }
    for (const reason of reasons) process.stderr.write(`not in sync: ${reason}\n`);
    return reasons.length > 0 || hasRefused ? 1 : 0;
  }
}

function viewFor({ once, output }: DemoOptions): View {
  const toStdout = (line: string): void => void process.stdout.write(`${line}\n`);
  const toStderr = (line: string): void => void process.stderr.write(`${line}\n`);
  if (output === "json") return new JsonView(toStdout, toStderr);
  const isTerminal = process.stdout.isTTY && process.env.TERM !== "dumb";
  return isTerminal && !once ? new TerminalView(process.stdout) : new LineView(toStdout);
}

function printError(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2; // commander has printed the message
  process.stderr.write(`${oneLine(error)}\n`);
  return error instanceof UserError ? 2 : 1;
}

/**
 * Runs `npm start`.
 *
 * @returns the exit code: 0 for success, 1 if something is not as desired, 2 for errors that the user can fix
 */
export async function program(argv: readonly string[], signal: AbortSignal): Promise<number> {
  try {
    return await main(demoOptions(argv, inApp("samples")), signal, systemClock);
  } catch (error) {
    return printError(error);
  }
}
