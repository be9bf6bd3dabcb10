import { writeSync } from "node:fs";
import { flushCompileCache } from "node:module";
import { MemoryStorage } from "../../memory/memory-storage.ts";
import { Journal } from "../journal.ts";
import { perform } from "./operations.ts";

// Writes to a storage until the process is killed, and reports each acknowledged write.
const [directory = "", begin = "1"] = process.argv.slice(2);
const storage = new MemoryStorage({ log: await Journal.open({ directory, segmentBytes: 20_000 }) });
flushCompileCache(); // a process that is killed does not write its compile cache
for (let n = Number(begin); ; n++) {
  await perform(storage, n);
  writeSync(1, `${n}\n`);
}
