import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FakeClock } from "@kubewright/clock/testing";
import { silentLogger } from "@kubewright/log";
import { describe, expect, it } from "vitest";
import { MemoryStorage } from "../memory/memory-storage.ts";
import { openStorage } from "../storage-options.ts";
import { storageContract } from "./storage-contract.ts";

describe.each(storageContract)("a storage", ({ name, run }) => {
  it(`${name}: memory`, async () => {
    const storage = new MemoryStorage({ clock: new FakeClock() });
    await run(storage);
    await storage.close();
  });

  it(`${name}: journal`, async () => {
    const directory = mkdtempSync(join(tmpdir(), "contract-"));
    const parts = { clock: new FakeClock(), logger: silentLogger };
    const storage = await openStorage({ type: "journal", directory }, parts);
    await run(storage).finally(async () => {
      await storage.close();
      rmSync(directory, { recursive: true });
    });
  });
});

it("rejects a storage that violates the contract", async () => {
  class Forgetful extends MemoryStorage {
    override async delete(key: string): ReturnType<MemoryStorage["delete"]> {
      return (await this.get(key)) ?? super.delete(key);
    }
  }
  const deleting = storageContract.find(({ name }) => name.startsWith("deletes only if"));
  await deleting?.run(new MemoryStorage());
  await expect(deleting?.run(new Forgetful())).rejects.toThrow("Missing expected rejection");
});
