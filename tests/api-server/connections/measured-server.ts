// Serves the API in a process where nothing else uses memory. Prints a line of JSON with its address once it serves, and the bytes of memory
// in use for each line that it reads. Ends with its input.
import { createInterface } from "node:readline";
import { ApiServer } from "@kubewright/kube-apiserver";

const server = await ApiServer.start({ tls: process.argv[2] === "tls" });
console.log(JSON.stringify({ port: server.port, url: server.url, connection: server.connection() }));
for await (const _ of createInterface(process.stdin)) {
  globalThis.gc?.();
  const { rss, heapTotal, heapUsed } = process.memoryUsage();
  console.log(`${rss - (heapTotal - heapUsed)}`); // a string, which has no colours; without the part of the heap that V8 keeps for later
}
await server.stop();
