import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { readFileSync } from "node:fs";
import inspector from "node:inspector/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Controller } from "@kubewright/controller";
import type { Manager, ManagerOptions } from "@kubewright/manager";
import type * as PlayerModule from "@kubewright/replay/player";
import type { ReplayReport } from "./replay-command.ts";

/**
 * Child process that loads a program and replays a recording with its reconcilers. The program's own packages are used, because their errors
 * and kinds must be those that the program compares with.
 */
interface Program {
  readonly options?: ManagerOptions;
  readonly setup?: unknown;
  readonly main?: unknown;
}
interface Library {
  readonly Manager: new (options: ManagerOptions) => Manager;
  readonly silentLogger: NonNullable<ManagerOptions["logger"]>;
}
type Reconciler = Controller["reconcile"];

const [root = "", entry = "", file = "", only = "", inspectAt] = process.argv.slice(2);

/** Key under which `asReconciler` stores the author's function. */
const authorKey = Symbol.for("kubewright.reconcile");

async function replay(): Promise<ReplayReport> {
  const library = createRequire(join(root, "package.json")).resolve("kubewright");
  const managerPath = createRequire(library).resolve("@kubewright/manager");
  const playerPath = createRequire(managerPath).resolve("@kubewright/replay/player");
  const { Player, Recording }: typeof PlayerModule = await import(pathToFileURL(playerPath).href);
  const recording = Recording.read(readFileSync(file));
  const chosen = recording.reconciles.filter((one) => isChosen(labelOf(one)));
  if (chosen.length === 0) return { type: "unknown", labels: recording.reconciles.slice(0, 5).map(labelOf) };
  const player = new Player(recording);
  const reconcilers = await reconcilersOf(await import(pathToFileURL(library).href), player);
  const debug = inspectAt === undefined ? undefined : await Debug.open(inspectAt);
  const counts = new Map<string, number>();
  const skipped: { readonly label: string; readonly reason: string }[] = [];
  for (const one of chosen) {
    const reconcile = reconcilers.get(one.controller);
    if (!reconcile) return differs(one, `there is no controller "${one.controller}" in ${entry}`);
    await debug?.stopIn(reconcile);
    const timeoutMs = debug ? Number.POSITIVE_INFINITY : undefined;
    const { difference, skipped: reason } = await player.replay(one, reconcile, { timeoutMs });
    if (difference !== undefined) return differs(one, difference);
    if (reason === undefined) counts.set(one.controller, (counts.get(one.controller) ?? 0) + 1);
    else skipped.push({ label: labelOf(one), reason });
  }
  return { type: "same", counts: [...counts], skipped };
}

/** Returns the reconcilers of the program by the names of their controllers. Nothing of the program runs, except its `setup`. */
async function reconcilersOf(
  { Manager, silentLogger: logger }: Library,
  { clock, connection }: PlayerModule.Player,
): Promise<ReadonlyMap<string, Reconciler>> {
  const { options = {}, setup, main }: Program = await import(pathToFileURL(join(root, entry)).href);
  const own: ManagerOptions = {
    ...{ ...options, connection, clock, logger, recorder: undefined, leaderElection: undefined, preflight: false },
    ...{ metrics: { bindAddress: "0" }, health: { bindAddress: "0" }, profiling: { bindAddress: "0" } },
    webhooks: { disabled: true },
  };
  const managers: Manager[] = [];
  if (typeof setup === "function") {
    const manager = new Manager(own);
    await setup(manager);
    managers.push(manager);
  } else if (typeof main === "function") {
    const note = (manager: unknown): void => void managers.push(manager as Manager); // the channel carries managers
    subscribe("kubewright.manager.run", note);
    await main({ ...own, ...connection }, AbortSignal.abort(), logger);
    unsubscribe("kubewright.manager.run", note);
  } else throw new Error(`${entry} exports neither setup(manager) nor main(options, signal)`);
  const found = managers.flatMap(({ runnables }) => runnables).filter(isController);
  return new Map(found.map(({ name, reconcile }) => [name, reconcile]));
}

const isController = (runnable: object): runnable is Controller =>
  "reconcile" in runnable && typeof runnable.reconcile === "function" && "name" in runnable;

function labelOf({ controller, request, number }: PlayerModule.RecordedReconcile): string {
  return `${controller}/${typeof request === "string" ? request : JSON.stringify(request)}#${number}`;
}

const isChosen = (label: string): boolean =>
  only === "" || label === only || label.startsWith(`${only}#`) || (only.startsWith("#") && label.endsWith(only));

const differs = (one: PlayerModule.RecordedReconcile, text: string): ReplayReport => ({
  ...{ type: "different", label: labelOf(one), text, atMs: one.atMs },
  causes: one.causes.map(({ source, type, key }) => `${source} ${key} (${type})`),
});

/** A debugger that stops in the author's functions. */
class Debug {
  readonly #session = new inspector.Session();
  readonly #known = new Set<unknown>();

  /** Waits until a debugger is attached. @param address port, or host and port */
  static async open(address: string): Promise<Debug> {
    const [, host = "127.0.0.1", port = "9229"] = /^(?:(.+):)?(\d+)$/.exec(address) ?? [];
    inspector.open(Number(port), host, true);
    const debug = new Debug();
    debug.#session.connect();
    await debug.#session.post("Debugger.enable");
    return debug;
  }

  async stopIn(reconcile: Reconciler): Promise<void> {
    const author: unknown = Reflect.get(reconcile, authorKey) ?? reconcile;
    if (this.#known.has(author)) return;
    this.#known.add(author);
    Reflect.set(globalThis, authorKey, author);
    const expression = `globalThis[Symbol.for(${JSON.stringify(authorKey.description)})]`;
    const { result } = await this.#session.post("Runtime.evaluate", { expression });
    // The types of Node.js lack this method of the protocol.
    const post = this.#session.post.bind(this.#session) as (method: string, parameters: object) => Promise<unknown>;
    await post("Debugger.setBreakpointOnFunctionCall", { objectId: result.objectId });
  }
}

// Library frames may fill a stack trace before the first frame of the project.
Error.stackTraceLimit = 100;
replay()
  .catch((error: unknown): ReplayReport => {
    const { message, stack = "" } = error instanceof Error ? error : { message: String(error) };
    return { type: "failed", message, stack };
  })
  .then((report) => process.send?.(report, () => process.exit(0)));
