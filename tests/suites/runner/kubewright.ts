import { main } from "@kubewright/cli";

// Runs the command from sources, regardless of earlier builds.
process.exitCode = await main(process.argv.slice(2));
