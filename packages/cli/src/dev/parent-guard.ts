import process from "node:process";
import { systemClock } from "@kubewright/clock";

// Loaded into the program before its own code: once the one that started it is gone, however it ended, so is the program, and what it started.
const graceMs = 10_000;

process.on("disconnect", () => {
  process.kill(process.pid, "SIGTERM");
  systemClock.after(graceMs, () => process.kill(-process.pid, "SIGKILL"), { unref: true });
});
process.channel?.unref(); // what only waits for that is no reason to stay
