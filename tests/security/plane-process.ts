import { startControlPlane } from "@kubewright/controller-manager";

// A control plane for tests that may stop it: in a process of its own, it says where it is and ends with its input.
const plane = await startControlPlane({ nodes: 0 });
process.stdout.write(`${JSON.stringify(plane.connection())}\n`);
process.stdin.resume().on("end", () => process.exit());
