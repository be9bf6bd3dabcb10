import { MemoryStorage } from "../../memory/memory-storage.ts";
import { Journal } from "../journal.ts";
import { perform } from "./operations.ts";

// Writes to a storage whose files are limited in size: first an object that is too large, then a small one, and then more until nothing
// fits. Reports the stored objects.
const [directory = ""] = process.argv.slice(2);
const storage = new MemoryStorage({ log: await Journal.open({ directory }) });
const errors: unknown[] = [];
const recordError = (error: NodeJS.ErrnoException): unknown => errors.push(error.code);
let done = 0;
while (done < 20) await perform(storage, ++done);
const data = { filling: "x".repeat(100_000) };
const large = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "large", namespace: "default" }, data };
await storage.create("/core/configmaps/default/large", large).catch(recordError);
while (errors.length < 3) await perform(storage, done + 1).then(() => done++, recordError);
const version = storage.currentResourceVersion();
const names = await storage.getList("/core/configmaps/", { predicate: { isEmpty: true, matches: () => true } });
console.log(JSON.stringify({ done, version, errors, count: names.items.length }));
process.kill(process.pid, "SIGKILL");
