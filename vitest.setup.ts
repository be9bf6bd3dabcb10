import { createRequire } from "node:module";
import { afterAll, beforeAll } from "vitest";

/**
 * Files of a project share a process, so each must leave it as it found it. Compares the process before the first test of a file and after its
 * last, and fails the file that left something behind.
 */
const intrinsics = { Object, Array, Function, Promise, Map, Set, Date, RegExp, String, Number, JSON, Math, console };

/** What ends a moment after it was closed. Sockets are not among them: clients keep theirs open for the next request. */
const handles = ["TCPServerWrap", "ProcessWrap", "FSEventWrap", "Worker"];

/** How long closing a server or a program may take on a busy machine. */
const closingWithinMs = 10_000;

const { cache } = createRequire(import.meta.url);
const pause = setTimeout; // a file may leave a fake one behind
const now = performance.now.bind(performance);

function stateOf(): ReadonlyMap<string, unknown> {
  const state = new Map<string, unknown>([["the working directory", process.cwd()]]);
  for (const [name, value] of Object.entries(process.env)) state.set(`environment variable ${name}`, value);
  for (const name of process.eventNames())
    state.set(`listeners to "${String(name)}" of process`, process.listenerCount(name));
  addProperties(state, "globalThis", globalThis);
  for (const [name, value] of Object.entries(intrinsics)) {
    addProperties(state, name, value);
    if ("prototype" in value) addProperties(state, `${name}.prototype`, Object(value.prototype));
  }
  const [, metrics] = Object.entries(cache).find(([path]) => /[\\/]prom-client[\\/]index\.js$/.test(path)) ?? [];
  state.set("metrics in the default registry", metrics?.exports.register.getMetricsAsArray().length ?? 0);
  return state;
}

function addProperties(state: Map<string, unknown>, name: string, of: object): void {
  // Libraries keep what they make once under symbols.
  for (const key of Object.getOwnPropertyNames(of)) {
    const { value, get } = Object.getOwnPropertyDescriptor(of, key) ?? {};
    state.set(`${name}.${key}`, get ?? value);
  }
}

function countOf(handle: string): number {
  return process.getActiveResourcesInfo().filter((name) => name === handle).length;
}

let before: ReadonlyMap<string, unknown>;
let open: ReadonlyMap<string, number>;

beforeAll(() => {
  before = stateOf();
  open = new Map(handles.map((name) => [name, countOf(name)]));
});

afterAll(async () => {
  const after = stateOf();
  const left = [...new Set([...before.keys(), ...after.keys()])].filter(
    (name) => !Object.is(before.get(name), after.get(name)),
  );
  const isOpen = (name: string): boolean => countOf(name) > (open.get(name) ?? 0);
  const until = now() + closingWithinMs;
  while (handles.some(isOpen) && now() < until) await new Promise((resolve) => void pause(resolve, 20));
  left.push(...handles.filter(isOpen).map((name) => `an open ${name}`));
  if (left.length > 0) throw new Error(`this file leaves behind: ${left.join(", ")}; restore it in the test`);
}, closingWithinMs + 5_000);
