import { systemClock } from "@kubewright/clock";
import { lockDirectory } from "../directory-lock.ts";

// Tries to lock a directory at a given time, reports the result, and keeps running.
const [directory = "", at = "0"] = process.argv.slice(2);
while (systemClock.now() < Number(at)); // waits, so that all processes try at the same time
await lockDirectory(directory).then(
  () => console.log("held"),
  (error: unknown) => console.log(String(error)),
);
await systemClock.sleep(60_000);
