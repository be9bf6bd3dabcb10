import { flushCompileCache } from "node:module";
import process from "node:process";

// Runs an API server in a separate process: prints its address on the first line, then serves until it is killed.
const [what] = process.argv.slice(2);
const began = performance.now();
const { ApiServer } = await import("@kubewright/kube-apiserver");
const server = await ApiServer.start({
  authorization: ["RBAC"],
  users: [{ name: "root", groups: ["system:masters"], token: "secret" }],
  ...(what === undefined || what === "--warm-up" ? {} : { storage: { type: "journal", directory: what } as const }),
});
console.log(JSON.stringify({ url: server.url, token: "secret", inProcessStartMs: performance.now() - began }));
if (what === "--warm-up") {
  await server.stop();
  flushCompileCache();
  process.exit(0);
}
