// Serves the API in a process where nothing else uses memory. Prints a line of JSON with its address once it serves, and the bytes of memory
// in use for each line that it reads. Ends with its input.
import { createInterface } from "node:readline";
import { ApiServer } from "@kubewright/kube-apiserver";

const [tls, requestTimeoutMs = "60000"] = process.argv.slice(2);
const server = await ApiServer.start({ tls: tls === "tls", requestTimeoutMs: Number(requestTimeoutMs) });
console.log(JSON.stringify({ port: server.port, url: server.url, connection: server.connection() }));
for await (const _ of createInterface(process.stdin)) {
  globalThis.gc?.({ type: "major", execution: "sync", flavor: "last-resort" }); // V8 gives unused pages back
  console.log(`${process.memoryUsage.rss()}`); // a string, which has no colours
}
await server.stop();
