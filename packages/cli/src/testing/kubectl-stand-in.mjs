// Accepts the arguments of `kubectl port-forward` that this package uses, and forwards to this machine like a kubelet to a pod.
import { appendFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { parseArgs } from "node:util";

const options = Object.fromEntries(
  ["namespace", "address", "context", "kubeconfig"].map((name) => [name, { type: "string" }]),
);
const { positionals, values } = parseArgs({ allowPositionals: true, options });
const [command, target, ports = ""] = positionals;
const { STAND_IN_LOG: log, STAND_IN_MODE: mode } = process.env;
if (log) appendFileSync(log, `${JSON.stringify({ pid: process.pid, command, target, ports, ...values })}\n`);
if (mode === "forbidden") {
  process.stderr.write('error: pods "shop-1" is forbidden: User "jane" cannot create resource "pods/portforward"\n');
  process.exit(1);
}
const [local, remote] = ports.split(":").map(Number);
const server = createServer((socket) => {
  const there = connect(remote, "127.0.0.1");
  socket.pipe(there).pipe(socket);
  there.on("error", (error) => {
    process.stderr.write(
      `E1123 07:00:00.000000       1 portforward.go:424] an error occurred forwarding: ${error.message}\n`,
    );
    socket.destroy();
  });
  socket.on("error", () => there.destroy());
});
server.listen(local, values.address, () => {
  process.stdout.write(`Forwarding from ${values.address}:${server.address().port} -> ${remote}\n`);
  if (mode === "lost") setTimeout(() => process.exit(1), 300);
});
