import { isForbidden } from "@kubewright/apimachinery";
import { systemClock } from "@kubewright/clock";
import type { Command } from "commander";
import { withClient } from "../cluster/connect.ts";
import { timeoutMsOf } from "../cluster/timeout.ts";
import { type ClusterFlags, type CommandContext, withClusterFlags, withExample } from "../command/context.ts";
import { onOneLine } from "../command/printable.ts";
import { Report } from "../command/report.ts";
import { describeProgram } from "../generate/describe-program.ts";
import { findProject } from "../project/project.ts";
import { definitions } from "./definitions.ts";
import type { Examined, Finding } from "./finding.ts";
import { staleSessions } from "./sessions.ts";
import { stuckFinalizers } from "./stuck-finalizers.ts";
import { deadWebhooks, unservedWebhooks } from "./webhooks.ts";

interface DoctorFlags extends ClusterFlags {
  readonly fix?: true;
  readonly stuckAfter: string;
}

const checks: Readonly<Record<string, (examined: Examined) => AsyncGenerator<Finding>>> = {
  definitions,
  finalizers: stuckFinalizers,
  webhooks: deadWebhooks,
  unserved: unservedWebhooks,
  sessions: staleSessions,
};

interface Item {
  readonly check: string;
  readonly what: string;
  readonly where: string;
  readonly remedy: string;
  readonly isFixed: boolean;
}

export function addDoctor(program: Command, context: CommandContext): void {
  const command = program
    .command("doctor")
    .description("find problems with CRDs, finalizers and webhooks")
    .option("--fix", "apply safe fixes: delete webhook configurations that dev left behind")
    .option("--stuck-after <duration>", "time after which a terminating object is reported as stuck", "5m")
    .action((flags: DoctorFlags) => context.run((signal) => doctor(context, flags, signal)));
  withExample(withClusterFlags(command), "npx kubewright doctor --stuck-after 10m");
}

async function doctor(context: CommandContext, flags: DoctorFlags, signal: AbortSignal): Promise<number> {
  const { io, cwd } = context;
  const stuckAfterMs = timeoutMsOf(flags.stuckAfter, "stuck-after");
  const project = findProject(cwd);
  const program = await describeProgram(project.root, "src/operator.ts", { signal, err: io.err });
  return withClient(context, flags, async (client) => {
    const note = (text: string): void => io.err(`${onOneLine(text)}\n`);
    const examined: Examined = { client, program, clock: systemClock, signal, stuckAfterMs, note };
    const report = new Report<Item>(io, flags);
    let left = 0;
    for (const [check, look] of Object.entries(checks))
      try {
        for await (const { fix, ...finding } of look(examined)) {
          const isFixed = flags.fix === true && fix !== undefined;
          if (isFixed) await fix();
          else left++;
          const outcome = isFixed ? "fixed" : fix ? `${finding.remedy}   (or run with --fix)` : finding.remedy;
          report.add({ check, ...finding, isFixed }, [`${finding.where}: ${finding.what}`, `  ${outcome}`]);
        }
      } catch (error) {
        if (!isForbidden(error)) throw error;
        note(`${check}: not checked: ${error instanceof Error ? error.message : error}`);
      }
    if (left === 0 && !flags.json && !flags.quiet) io.out("no problems found\n");
    report.end();
    return left === 0 ? 0 : 1;
  });
}
