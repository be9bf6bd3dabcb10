import { writeSync } from "node:fs";
import { flushCompileCache } from "node:module";
import { setTimeout } from "node:timers/promises";
import { MemoryStorage } from "../../memory/memory-storage.ts";
import { Journal } from "../journal.ts";
import { perform } from "./operations.ts";

// Writes to a storage until the process is killed, and reports each acknowledged write.
const [directory = "", begin = "1"] = process.argv.slice(2);
const storage = new MemoryStorage({ log: await Journal.open({ directory, segmentBytes: 20_000 }) });
flushCompileCache(); // a process that is killed does not write its compile cache
for (let n = Number(begin); ; n++) {
  await perform(storage, n);
  await report(`${n}\n`);
}

/** Writes to standard output. The pipe is full if the reader has not read for a while. */
async function report(text: string): Promise<void> {
  for (;;)
    try {
      writeSync(1, text);
      return;
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EAGAIN")) throw error;
      await setTimeout(1);
    }
}
