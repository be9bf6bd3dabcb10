import childProcess from "node:child_process";
import nodeCrypto from "node:crypto";
import dgram from "node:dgram";
import dns from "node:dns";
import { syncBuiltinESMExports } from "node:module";
import net from "node:net";
import os from "node:os";
import process from "node:process";
import nodeTimers from "node:timers";
import timersPromises from "node:timers/promises";
import { promisify } from "node:util";
import workerThreads from "node:worker_threads";
import { type Actor, currentActor } from "./virtual-time.ts";

const realNow = Date.now;
/** Maximum number of characters of a refused command to report. */
const maxCommandLength = 200;

/** A timer as Node's `setTimeout` returns it. */
class Timeout implements Disposable {
  readonly #actor: Actor;
  readonly #ms: number;
  readonly #callback: () => void;
  readonly #repeats: boolean;
  #timer: { cancel(): void } | undefined;

  constructor(actor: Actor, ms: number, callback: () => void, repeats = false) {
    this.#actor = actor;
    // As in Node: a timer without a valid delay fires after a millisecond.
    this.#ms = ms >= 1 && ms <= 2 ** 31 - 1 ? Math.trunc(ms) : 1;
    this.#callback = callback;
    this.#repeats = repeats;
    this.refresh();
  }

  refresh(): this {
    this.#timer?.cancel();
    this.#timer = this.#actor.time.after(this.#ms, this.#actor, () => {
      if (this.#repeats) this.refresh();
      else this.#timer = undefined;
      this.#callback();
    });
    return this;
  }

  close(): this {
    this.#timer?.cancel();
    this.#timer = undefined;
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  hasRef(): boolean {
    return this.#timer !== undefined;
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

/** An immediate as Node's `setImmediate` returns it. */
class Immediate implements Disposable {
  readonly #timer: { cancel(): void };

  constructor(actor: Actor, callback: () => void) {
    this.#timer = actor.time.immediately(actor, callback);
  }

  close(): void {
    this.#timer.cancel();
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  hasRef(): boolean {
    return true;
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

type Any = (...args: never[]) => unknown;

/** Describes the end of a program that calls `process.exit`. */
export const exitText = (code: number): string =>
  `the program ended its own process with code ${code}, as process.exit does`;

/** The error that a program receives when it accesses the network, or starts a process or a thread. */
class RefusedError extends Error {
  readonly code = "ECONNREFUSED";
}

/**
 * Replaces the global functions for time, random numbers and networking, for code that runs in the context of an {@link
 * Actor}. All other code is unaffected.
 *
 * @returns a function that restores the originals
 */
export function replaceGlobals(): () => void {
  const restores: (() => void)[] = [];
  const replace = (object: object, name: string, of: (original: Any) => Any): void => {
    const own = Object.getOwnPropertyDescriptor(object, name);
    const original: unknown = Reflect.get(object, name);
    if (typeof original !== "function") return;
    const made = of(original as Any);
    // The variants that `util.promisify` returns. Those of timers are the functions of `node:timers/promises`.
    const variant = Object.getOwnPropertyDescriptor(original, promisify.custom);
    if (variant && !Object.hasOwn(made, promisify.custom)) Object.defineProperty(made, promisify.custom, variant);
    Object.defineProperty(object, name, {
      value: made,
      configurable: true,
      writable: true,
      enumerable: own?.enumerable ?? true,
    });
    restores.unshift(() => {
      if (own) Object.defineProperty(object, name, own);
      else Reflect.deleteProperty(object, name);
    });
  };
  /** Replaces a function for actors. */
  const forActors = (object: object, name: string, of: (actor: Actor, args: readonly never[]) => unknown): void =>
    replace(
      object,
      name,
      (original) =>
        function (this: unknown, ...args: never[]) {
          const actor = currentActor.getStore();
          return actor ? of(actor, args) : Reflect.apply(original, this, args);
        },
    );

  replaceTimers(forActors, replace);
  replaceClocks(forActors, replace);
  replaceRandomness(forActors);
  refuseNetwork(forActors, replace);
  replace(process, "exit", (original) => (...args: never[]) => {
    const { onExit } = currentActor.getStore() ?? {};
    if (!onExit) return Reflect.apply(original, process, args);
    const code = Number(args[0] ?? process.exitCode ?? 0);
    onExit(code);
    throw new Error(exitText(code));
  });
  forActors(os, "hostname", ({ name }) => name.replaceAll(" ", "-")); // the same on every machine
  for (const stream of [process.stdout, process.stderr])
    forActors(stream, "write", ({ onOutput }, args: readonly unknown[]) => {
      const [chunk] = args;
      onOutput(chunk instanceof Uint8Array ? Buffer.from(chunk).toString() : String(chunk));
      const callback = args.at(-1);
      if (typeof callback === "function") process.nextTick(() => void Reflect.apply(callback, undefined, []));
      return true;
    });
  syncBuiltinESMExports();
  return () => {
    for (const restore of restores) restore();
    syncBuiltinESMExports();
  };
}

type ForActors = (object: object, name: string, of: (actor: Actor, args: readonly never[]) => unknown) => void;
type Replace = (object: object, name: string, of: (original: Any) => Any) => void;

function replaceTimers(forActors: ForActors, replace: Replace): void {
  const calling = ([callback, , ...args]: readonly unknown[]) => {
    if (typeof callback !== "function") throw new TypeError('The "callback" argument must be of type function.');
    return () => void Reflect.apply(callback, undefined, args);
  };
  const clear = (original: Any): Any =>
    function (this: unknown, ...args: never[]) {
      const [timer]: readonly unknown[] = args;
      if (timer instanceof Timeout || timer instanceof Immediate) return void timer.close();
      return Reflect.apply(original, this, args);
    };
  for (const object of [globalThis, nodeTimers]) {
    forActors(object, "setTimeout", (actor, args) => new Timeout(actor, Number(args[1]), calling(args)));
    forActors(object, "setInterval", (actor, args) => new Timeout(actor, Number(args[1]), calling(args), true));
    forActors(object, "setImmediate", (actor, [callback, ...args]) => {
      return new Immediate(actor, calling([callback, 0, ...args] as readonly unknown[]));
    });
    for (const name of ["clearTimeout", "clearInterval", "clearImmediate"]) replace(object, name, clear);
  }
  const waiting = (actor: Actor, ms: number | undefined, value: unknown, options: unknown): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const { signal }: { readonly signal?: AbortSignal } = typeof options === "object" && options ? options : {};
      if (signal?.aborted) return reject(abortError(signal));
      const done = (): void => {
        signal?.removeEventListener("abort", aborted);
        resolve(value);
      };
      const timer = ms === undefined ? new Immediate(actor, done) : new Timeout(actor, ms, done);
      const aborted = (): void => {
        timer.close();
        reject(abortError(signal));
      };
      signal?.addEventListener("abort", aborted, { once: true });
    });
  forActors(timersPromises, "setTimeout", (actor, [ms, value, options]) => waiting(actor, Number(ms), value, options));
  forActors(timersPromises, "setImmediate", (actor, [value, options]) => waiting(actor, undefined, value, options));
  forActors(timersPromises, "setInterval", (actor, [ms, value, options]) =>
    (async function* () {
      for (;;) yield await waiting(actor, Number(ms), value, options);
    })(),
  );
  forActors(timersPromises.scheduler, "wait", (actor, [ms, options]) => waiting(actor, Number(ms), undefined, options));
  forActors(timersPromises.scheduler, "yield", (actor) => waiting(actor, undefined, undefined, undefined));
  // Node.js keeps a signal of its own `any` until it aborts, which those of a dead process never do.
  forActors(AbortSignal, "any", (_, [signals]: readonly unknown[]) => {
    const controller = new AbortController();
    const sources = Array.isArray(signals) ? signals.filter((each) => each instanceof AbortSignal) : [];
    for (const source of sources) {
      const abort = (): void => {
        for (const each of sources) each.removeEventListener("abort", abort);
        controller.abort(source.reason);
      };
      if (source.aborted) {
        controller.abort(source.reason);
        break;
      }
      source.addEventListener("abort", abort, { once: true });
    }
    return controller.signal;
  });
  forActors(AbortSignal, "timeout", (actor, [ms]) => {
    const controller = new AbortController();
    const abort = (): void =>
      controller.abort(new DOMException("The operation was aborted due to timeout", "TimeoutError"));
    actor.time.after(Number(ms), actor, abort, true);
    return controller.signal;
  });
}

const abortError = (signal: AbortSignal | undefined): Error =>
  Object.assign(new Error("The operation was aborted", { cause: signal?.reason }), {
    name: "AbortError",
    code: "ABORT_ERR",
  });

function replaceClocks(forActors: ForActors, replace: Replace): void {
  const now = (): number => {
    const actor = currentActor.getStore();
    return actor ? actor.time.nowMs + actor.skewMs : realNow();
  };
  const original = Date;
  replace(
    globalThis,
    "Date",
    () =>
      new Proxy(original, {
        apply: () => new original(now()).toString(),
        construct: (_, args: ConstructorParameters<DateConstructor>, newTarget) =>
          Reflect.construct(original, args.length > 0 ? args : [now()], newTarget),
        get: (target, name) => (name === "now" ? now : Reflect.get(target, name)),
      }) as unknown as Any, // a proxy of a constructor is callable
  );
  forActors(performance, "now", ({ time }) => time.elapsedMs);
  const hrtime = Object.assign((actor: Actor, [since]: readonly unknown[]): [number, number] => {
    const [seconds = 0, nanos = 0] = Array.isArray(since) ? since : [];
    const ns = Math.round(actor.time.elapsedMs * 1e6) - (Number(seconds) * 1e9 + Number(nanos));
    return [Math.floor(ns / 1e9), ns % 1e9];
  }, {});
  const realBigint = process.hrtime.bigint;
  replace(process, "hrtime", (original) =>
    Object.assign(
      (...args: never[]) => {
        const actor = currentActor.getStore();
        return actor ? hrtime(actor, args) : Reflect.apply(original, process, args);
      },
      {
        bigint: () => {
          const actor = currentActor.getStore();
          return actor ? BigInt(Math.round(actor.time.elapsedMs * 1e6)) : realBigint();
        },
      },
    ),
  );
}

function replaceRandomness(forActors: ForActors): void {
  const fill = (actor: Actor, array: unknown, offset = 0, size?: number): unknown => {
    if (!ArrayBuffer.isView(array)) throw new TypeError("the argument must be a typed array");
    const length = size ?? array.byteLength - offset;
    actor.random.fill(new Uint8Array(array.buffer, array.byteOffset + offset, length));
    return array;
  };
  const answered = (callback: unknown, value: unknown): unknown => {
    if (typeof callback !== "function") return value;
    process.nextTick(() => void Reflect.apply(callback, undefined, [null, value]));
    return undefined;
  };
  forActors(Math, "random", ({ random }) => random.next());
  forActors(globalThis.crypto, "randomUUID", ({ random }) => random.uuid());
  forActors(globalThis.crypto, "getRandomValues", (actor, [array]) => fill(actor, array));
  forActors(nodeCrypto, "randomUUID", ({ random }) => random.uuid());
  forActors(nodeCrypto, "randomBytes", (actor, [size, callback]) =>
    answered(callback, actor.random.fill(Buffer.alloc(Number(size)))),
  );
  forActors(nodeCrypto, "randomFillSync", (actor, [array, offset, size]) => fill(actor, array, offset, size));
  forActors(nodeCrypto, "randomInt", ({ random }, args: readonly unknown[]) => {
    const numbers = args.filter((each) => typeof each === "number");
    const [least, end] = numbers.length > 1 ? [numbers[0] ?? 0, numbers[1] ?? 0] : [0, numbers[0] ?? 0];
    return answered(args.at(-1), least + random.below(end - least));
  });
}

function refuseNetwork(forActors: ForActors, replace: Replace): void {
  forActors(globalThis, "fetch", async (actor, args) => {
    if (actor.isDead) return new Promise(() => {});
    const request = new Request(...(args as unknown as ConstructorParameters<typeof Request>));
    const response = await actor.fetch?.(request);
    if (response) {
      await actor.time.resumed(actor);
      return response;
    }
    actor.onRefused(`${request.method} ${request.url}`);
    throw new TypeError("fetch failed", {
      cause: new RefusedError(`the simulation cannot answer requests to ${request.url}`),
    });
  });
  const refuse = (actor: Actor, described: string): RefusedError => {
    actor.onRefused(described);
    return new RefusedError(
      `the simulation does not allow the program to open sockets, or to start processes or threads: ${described}`,
    );
  };
  const connections = (what: string) => (original: Any) =>
    function (this: unknown, ...args: never[]) {
      const actor = currentActor.getStore();
      if (!actor) return Reflect.apply(original, this, args);
      const address = addressIn(args);
      if (actor.connects?.(address, this instanceof net.Socket ? this : undefined))
        return Reflect.apply(original, this, args);
      const error = refuse(actor, `${what} ${address}`.trim());
      if (this instanceof net.Socket) return this.destroy(error);
      throw error;
    };
  replace(net.Socket.prototype, "connect", connections("connect to"));
  for (const object of [dns, dns.promises])
    for (const name of Object.keys(object))
      if (/^(lookup|resolve|reverse)/.test(name)) replace(object, name, connections("look up"));
  const refused = (object: object, names: readonly string[], of: (args: readonly unknown[]) => string): void => {
    for (const name of names)
      forActors(object, name, (actor, args) => {
        throw refuse(actor, of(args).trim());
      });
  };
  refused(net.Server.prototype, ["listen"], (args) => `listen on ${addressIn(args)}`);
  refused(dgram.Socket.prototype, ["bind", "connect", "send"], () => "use a UDP socket");
  const start = ([program]: readonly unknown[]): string => `start ${commandIn(program)}`;
  refused(childProcess, ["spawn", "spawnSync", "exec", "execSync", "execFile", "execFileSync", "fork"], start);
  // `cluster.fork` calls it, too.
  refused(childProcess.ChildProcess.prototype, ["spawn"], start);
  replace(
    workerThreads,
    "Worker",
    (original) =>
      new Proxy(original as unknown as typeof workerThreads.Worker, {
        construct: (target, args, newTarget) => {
          const actor = currentActor.getStore();
          if (actor) throw refuse(actor, `start a thread with ${commandIn(args[0])}`);
          return Reflect.construct(target, args, newTarget);
        },
      }) as unknown as Any, // a proxy of a constructor is callable
  );
}

/** Names the program or the module to start. */
function commandIn(program: unknown): string {
  const { file = program }: { readonly file?: unknown } = typeof program === "object" && program ? program : {};
  return String(file).slice(0, maxCommandLength);
}

function addressIn(args: readonly unknown[]): string {
  const [first] = args.flat(2);
  if (typeof first !== "object" || first === null) return String(first ?? "");
  const { host = "", port = "", path = "" } = first as { host?: string; port?: number | string; path?: string };
  return path || [host, port].filter((each) => each !== "").join(":");
}
