import { startControlPlane } from "@kubewright/controller-manager";

// A control plane for tests that may stop it, in a separate process. It prints its connection, then for each line of input its peak memory
// in bytes. It ends with its input.
const plane = await startControlPlane({ nodes: 0 });
process.stdout.write(`${JSON.stringify(plane.connection())}\n`);
process.stdin.on("data", () => process.stdout.write(`${process.resourceUsage().maxRSS * 1024}\n`));
process.stdin.on("end", () => process.exit());
