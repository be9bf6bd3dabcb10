import { flushCompileCache } from "node:module";
import process from "node:process";
import { FeedServer } from "./feed-server.ts";

// The feed runs in a separate process, so that the cost of creating objects does not count as a cost of the subject.
const server = new FeedServer();
console.log(await server.start());
flushCompileCache(); // a process that is killed does not write its compile cache
process.stdin.resume().on("end", () => process.exit());
