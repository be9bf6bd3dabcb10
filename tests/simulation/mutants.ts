import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { isSimulationError, type SimulationOptions, simulate, type UserKind } from "@kubewright/simulation";

const root = resolve(import.meta.dirname, "../..");

/** A change of a source in one place, as tools/mutants makes it. */
interface Mutant {
  readonly path: string;
  readonly line: number;
  readonly before: string;
  readonly after: string;
  /** Text of the whole changed file. */
  readonly text: string;
}

/** An example whose reconciler is changed. */
interface Example {
  readonly folder: string;
  /** The file with the reconciler. */
  readonly file: string;
  /** File and name of the kind that users create. */
  readonly kind: readonly [file: string, name: string];
  readonly options?: Partial<SimulationOptions>;
}

const container = { name: "hello", image: "busybox:1.28" };
const jobTemplate = { spec: { template: { spec: { restartPolicy: "OnFailure", containers: [container] } } } };
const examples: readonly Example[] = [
  { folder: "01-minimal", file: "main.ts", kind: ["main.ts", "Site"] },
  {
    folder: "02-sample-controller",
    file: "controller.ts",
    kind: ["network.ts", "Network"],
    options: { without: { active: "the controller only logs and records Events" } },
  },
  {
    folder: "05-playbook",
    file: "controller.ts",
    kind: ["playbook.ts", "Playbook"],
    options: {
      without: {
        active: "the controller acts only when somebody sets the progress in the status",
        deletion: "only users of the group ops may delete an unfinished play",
      },
    },
  },
  {
    folder: "06-app",
    file: "controller.ts",
    kind: ["app.ts", "App"],
    // The webhook inverts enable_ingress and refuses an Ingress without a Service.
    options: {
      without: { history: "the webhook inverts enable_ingress again in a fresh cluster" },
      users: {
        App: [{ spec: { image: "nginx", enable_service: true } }, { spec: { image: "nginx", enable_ingress: true } }],
      },
    },
  },
  {
    folder: "08-cronjob",
    file: "controllers/cron-job.ts",
    kind: ["api/cron-job.ts", "CronJob"],
    options: {
      users: { CronJob: { spec: { schedule: "0 0 1 * *", jobTemplate } } },
      constant: { CronJob: ["spec.schedule", "spec.jobTemplate.spec"] },
    },
  },
];

/** Changes that do not change what the program does, so that nothing can notice them. */
const equivalent: readonly string[] = [
  // The same default stands in the schema, or in another place of the same expression.
  "const { progress = (-1) } = playbook.status ?? {};",
  "indexes: { [byOwner]: (job) => [controllerOf(job)?.uid] },",
  "Date.parse(metadata.annotations?.[scheduledAt]) || 0;",
  "Date.parse(cronJob.status?.lastScheduleTime) || 0,",
  // A process that ends does the same on another way.
  "if (signal.aborted) return; → (nothing)",
  "this.#queue.shutDown(); → (nothing)",
];
const isEquivalent = ({ before, after }: Mutant): boolean =>
  equivalent.some((each) => each === after || each === `${before} → ${after}`);

/** Runs the program of a changed example. Returns the first violation; undefined if the change was not noticed. */
async function noticed({ path, text }: Mutant, schedules: number, seed: number): Promise<string | undefined> {
  const example = examples.find(({ folder }) => path.startsWith(`examples/${folder}/`));
  if (!example) throw new Error(`${path} does not belong to an example`);
  const source = join(root, "examples", example.folder);
  // Next to the original, so that the copy finds the same packages.
  const copy = mkdtempSync(join(root, "examples", ".mutant-"));
  try {
    cpSync(source, copy, { recursive: true, filter: (file) => !/\/(node_modules|dist)$|\.test\.ts$/.test(file) });
    writeFileSync(join(copy, relative(source, join(root, path))), text);
    const [file, name] = example.kind;
    const kinds: Record<string, UserKind> = await import(pathToFileURL(join(source, file)).href);
    const own = kinds[name];
    if (!own) throw new Error(`${file} does not export ${name}`);
    await simulate(pathToFileURL(join(copy, "main.ts")), {
      ...example.options,
      kinds: [own],
      schedules,
      seed,
      shorten: false,
      print: () => {},
    });
    return undefined;
  } catch (error) {
    if (!isSimulationError(error)) return `does not run: ${String(error)}`;
    return error.message.split("\n").find((line) => line.startsWith("✗")) ?? error.message;
  } finally {
    rmSync(copy, { recursive: true });
  }
}

/** Changes the reconcilers of the examples, and prints which changes the simulation notices without an author's check. */
export async function simulateMutants(count: number, schedules: number, seed: number): Promise<void> {
  for (const { folder, file } of examples) {
    const path = `examples/${folder}/${file}`;
    const alarm = await noticed(
      { path, line: 0, before: "", after: "", text: readFileSync(join(root, path), "utf8") },
      5,
      seed,
    );
    if (alarm !== undefined) throw new Error(`${path} fails without a change: ${alarm}`);
  }
  const paths = examples.map(({ folder, file }) => `examples/${folder}/${file}`);
  const choose = join(root, "tools/mutants/src/choose.ts");
  const output = execFileSync(process.execPath, [choose, String(seed), String(2 * count), ...paths], {
    encoding: "utf8",
  });
  const all: readonly Mutant[] = JSON.parse(output);
  const mutants = all.filter((each) => !isEquivalent(each)).slice(0, count);
  let survivors = 0;
  for (const mutant of mutants) {
    const text = `${mutant.path.replace("examples/", "")}:${mutant.line} ${mutant.before} → ${mutant.after}`;
    const sign = await noticed(mutant, schedules, seed);
    if (sign === undefined) survivors++;
    console.log(`${sign === undefined ? "survives" : "noticed "} ${text}${sign ? `  [${sign.slice(0, 100)}]` : ""}`);
  }
  console.log(`${mutants.length - survivors} of ${mutants.length} noticed`);
}
