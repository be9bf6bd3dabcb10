import process from "node:process";
import { FeedServer } from "./feed-server.ts";

// A process of its own, so that what it costs to make objects is not counted as the subject's.
const server = new FeedServer();
console.log(await server.start());
process.stdin.resume().on("end", () => process.exit());
