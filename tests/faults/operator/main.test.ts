import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { chaosCommand, example, usage } from "./chaos-options.ts";
import { Progress } from "./progress.ts";

const commandOf = (line: string) => chaosCommand(line === "" ? [] : line.split(" "));

it.each([
  ["", { does: "many", seed: undefined, from: 0, count: 1_000, goesOn: false }],
  ["--seed 5 --from 40 --schedules 9 --keep-going", { does: "many", seed: 5, from: 40, count: 9, goesOn: true }],
  ["--seed 7 --schedule 0 --look my-rule", { does: "one", seed: 7, schedule: 0, look: "my-rule" }],
  ["--schedules nonsense --help", { does: "help" }],
])("understands %j", (line, command) => {
  expect(commandOf(line)).toEqual(command);
});

it.each([
  ["--sed 5", /^Unknown option '--sed'$/],
  ["5", /^Unexpected argument '5'/],
  ["--seed", /--seed.*argument/],
  ["--keep-going=yes", /--keep-going/],
  ["--schedules 0", /^--schedules 0: must be a whole number from 1 to 999999999$/],
  ["--from 1.5", /^--from 1.5: must be a whole number from 0 /],
  ["--seed 1234567890", /^--seed 1234567890: must be /],
  ["--schedule 4", /^--schedule 4: add --seed$/],
  ["--seed 1 --schedule 4 --from 2", /remove --from$/],
  ["--seed 1 --schedule 4 --schedules 2", /remove --schedules$/],
  ["--seed 1 --schedule 4 --keep-going", /remove --keep-going$/],
  ["--seed 1 --look wan", /^--look requires --schedule/],
])("reports the mistake in %j", (line, reason) => {
  expect(() => commandOf(line)).toThrow(
    expect.objectContaining({ name: "UsageError", message: expect.stringMatching(reason) }),
  );
});

it("prints its progress after 25 schedules or 10 s, whichever comes first", () => {
  let nowMs = 5_000;
  const lines: string[] = [];
  const progress = new Progress(
    100,
    () => nowMs,
    (line) => lines.push(line),
  );
  for (let played = 1; played <= 60; played++) {
    nowMs += played <= 50 ? 100 : 5_000;
    progress.update({ played, failures: played > 30 ? 1 : 0 });
  }
  expect(lines).toEqual([
    "25 of 100 schedules, 0 failed, 10.00 a second, 0.1 min left",
    "50 of 100 schedules, 1 failed, 10.00 a second, 0.1 min left",
    "52 of 100 schedules, 1 failed, 3.47 a second, 0.2 min left",
    "54 of 100 schedules, 1 failed, 2.16 a second, 0.4 min left",
    "56 of 100 schedules, 1 failed, 1.60 a second, 0.5 min left",
    "58 of 100 schedules, 1 failed, 1.29 a second, 0.5 min left",
    "60 of 100 schedules, 1 failed, 1.09 a second, 0.6 min left",
  ]);
});

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** @param onError called with the stderr output so far */
function run(args: readonly string[], onError: (text: string, child: ChildProcess) => void = () => {}): Promise<Ended> {
  const main = fileURLToPath(new URL("main.ts", import.meta.url));
  const child = spawn(process.execPath, ["--conditions=@kubewright/source", main, ...args]);
  let [out, err] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => {
    out += chunk.toString();
  });
  child.stderr.on("data", (chunk: Buffer) => {
    err += chunk.toString();
    onError(err, child);
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, out, err }));
  });
}

it("reports unknown options on one line with exit code 2, and prints help with an example", async () => {
  const [unknown, help] = await Promise.all([run(["--colour"]), run(["--help"])]);
  expect(unknown).toEqual({ code: 2, out: "", err: "Unknown option '--colour' (see --help)\n" });
  expect(help).toEqual({ code: 0, out: `${usage}\n`, err: "" });
});

it("plays the example of its help", async () => {
  expect(usage).toContain(example);
  const { code, out, err } = await run(example.split(" ").slice(4));
  expect(err).toMatch(/^playing 2 schedules of seed 3, from 4\n/);
  expect(out).toMatch(/^2 schedules of seed 3, 0 failed; what happened:\n/);
  expect(code).toBe(0);
});

it.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)("ends after %s with the table so far and exit code %i", async (signal, exitCode) => {
  let isSent = false;
  const { code, out, err } = await run(["--seed", "3", "--schedules", "500"], (text, child) => {
    if (!isSent && text.includes("playing")) isSent = child.kill(signal);
  });
  expect(err).toContain(`\n${signal}: ends after this schedule\n`);
  expect(out).toMatch(/^\d+ of 500 schedules of seed 3, 0 failed; what happened:\nputRule /);
  expect(code).toBe(exitCode);
});
