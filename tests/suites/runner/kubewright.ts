import { main } from "@kubewright/cli";

// The command from sources, whatever was built before.
process.exitCode = await main(process.argv.slice(2));
