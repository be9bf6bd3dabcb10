import process from "node:process";

// An API server of its own process: its address on the first line, then it serves until it is killed.
const [journal] = process.argv.slice(2);
const began = performance.now();
const { ApiServer } = await import("@kubewright/apiserver");
const server = await ApiServer.start({
  authorization: ["RBAC"],
  users: [{ name: "root", groups: ["system:masters"], token: "secret" }],
  ...(journal === undefined ? {} : { storage: { type: "journal", directory: journal } as const }),
});
console.log(JSON.stringify({ url: server.url, token: "secret", inProcessStartMs: performance.now() - began }));
