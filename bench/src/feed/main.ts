import process from "node:process";
import { FeedServer } from "./feed-server.ts";

// A separate process, so that the cost of creating objects does not count as the subject's.
const server = new FeedServer();
console.log(await server.start());
process.stdin.resume().on("end", () => process.exit());
