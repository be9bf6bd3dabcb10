import process from "node:process";
import { systemClock } from "@kubewright/clock";

// Node.js loads this module before the program's own code. It ends the program and its child processes when the parent process ends.
const graceMs = 10_000;

process.on("disconnect", () => {
  process.kill(process.pid, "SIGTERM");
  systemClock.after(graceMs, () => process.kill(-process.pid, "SIGKILL"), { unref: true });
});
process.channel?.unref(); // must not keep the program alive
