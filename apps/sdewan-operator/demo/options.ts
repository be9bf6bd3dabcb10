import { Command, InvalidArgumentError } from "commander";

export interface DemoOptions {
  /** Port of the API server. 0 means any free port. */
  readonly port: number;
  readonly kubeconfigOut: string;
  /** Folder of the samples. Undefined means no samples. */
  readonly samples: string | undefined;
  readonly once: boolean;
  readonly output: "table" | "json";
  readonly verbose: boolean;
}

/** Parses the command line. As usual with commander, `--help` and invalid arguments throw an error after printing. */
export function demoOptions(argv: readonly string[], defaultSamples: string): DemoOptions {
  const command = new Command("npm start --")
    .description(
      "Starts a Kubernetes control plane, simulated CNFs and the SD-EWAN operator in one process, applies samples and shows their state.",
    )
    .option("--port <port>", "port of the API server on 127.0.0.1 (default: any free port)", portNumber)
    .option("--kubeconfig-out <file>", "file for the kubeconfig", ".kubewright/kubeconfig")
    .option("--samples <dir>", "folder with objects to apply (default: the operator's own samples)")
    .option("--no-samples", "apply nothing")
    .option("--once", "exit when everything is in sync (code 0), or after 60 s (code 1)")
    .option("--output <format>", "output format: table or json", outputFormat, "table")
    .option("--verbose", "log to standard error")
    .addHelpText(
      "after",
      "\nSIGUSR2 restarts the API server: it drops all connections, but keeps its port and objects.",
    )
    .exitOverride()
    .parse([...argv], { from: "user" });
  type Given = Partial<Omit<DemoOptions, "samples">> & Pick<DemoOptions, "kubeconfigOut" | "output">;
  const { samples = defaultSamples, ...options } = command.opts<Given & { samples?: string | boolean }>();
  const folder = samples === true ? defaultSamples : samples;
  return { port: 0, once: false, verbose: false, ...options, samples: folder === false ? undefined : folder };
}

function portNumber(text: string): number {
  const port = Number(text);
  if (!/^[0-9]+$/.test(text) || port > 65_535) throw new InvalidArgumentError("must be a number up to 65535.");
  return port;
}

function outputFormat(text: string): "table" | "json" {
  if (text !== "table" && text !== "json") throw new InvalidArgumentError("must be table or json.");
  return text;
}
