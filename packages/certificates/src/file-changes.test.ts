import { once } from "node:events";
import { type FSWatcher, mkdirSync, mkdtempSync, rmdirSync, rmSync, watch } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { FileChanges } from "./file-changes.ts";

const open = { folder: "", changes: undefined as FileChanges | undefined, seen: undefined as FSWatcher | undefined };
beforeEach(() => {
  open.folder = mkdtempSync(join(tmpdir(), "file-changes-"));
});
afterEach(() => {
  open.changes?.close();
  open.seen?.close();
  rmSync(open.folder, { recursive: true, force: true });
});

/** Acts, and waits until the system has reported it: to `seen` last, since it was opened last. */
function watched() {
  const { folder } = open;
  const changes = new FileChanges([join(folder, "tls.crt"), join(folder, "tls.key")]);
  const seen = watch(folder);
  Object.assign(open, { changes, seen });
  const changedAfter = async (act: (path: string) => void, name: string): Promise<void> => {
    const changed = once(seen, "change");
    act(join(folder, name)); // a directory that appears or disappears is one change
    await changed;
  };
  return { changes, changedAfter };
}

it.each([
  ["tls.crt", true],
  ["tls.key", true],
  ["..data", true],
  ["other", false],
])("reports a change of %s: %s", async (name, isReported) => {
  const { changes, changedAfter } = watched();
  const signal = changes.next();
  expect(signal.aborted).toBe(false);
  await changedAfter(mkdirSync, name);
  expect(signal.aborted).toBe(isReported);
});

it("keeps a change that occurred while nobody waited, once", async () => {
  const { changes, changedAfter } = watched();
  const first = changes.next();
  await changedAfter(mkdirSync, "tls.crt");
  expect(first.aborted).toBe(true);
  await changedAfter(rmdirSync, "tls.crt");
  expect(changes.next().aborted).toBe(true);
  expect(changes.next().aborted).toBe(false);
});

it("reports nothing if a directory cannot be watched", () => {
  const changes = new FileChanges(["/nowhere/at/all/tls.crt"]);
  expect(changes.next().aborted).toBe(false);
  expect(() => changes.close()).not.toThrow();
});
