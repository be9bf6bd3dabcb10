import { expect, it } from "vitest";
import { endless, noFiles, simulatedRun } from "./simulated-command.ts";

it.each([
  [["sleep", "2"], { runMs: 2_000, exitCode: 0 }],
  [["sleep", "1m"], { runMs: 60_000, exitCode: 0 }],
  [["sleep", "infinity"], endless],
  [["/bin/sh", "-c", "exit 3"], { runMs: 0, exitCode: 3 }],
  [["sh", "-c", "echo hello; sleep 1 && exit 1; sleep 5"], { runMs: 1_000, exitCode: 1 }],
  [["false"], { runMs: 0, exitCode: 1 }],
  [["/bin/true"], { runMs: 0, exitCode: 0 }],
  [["sh", "-c", "exit $((2 + 3 * 4 % 5))"], { runMs: 0, exitCode: 4 }],
  [["sh", "-c", "while true; do sleep 1; done"], endless],
  [["sh", "-c", "false || sleep 3 && exit 7"], { runMs: 3_000, exitCode: 7 }],
  [["sh", "-c", "if [ -z '' ]; then exit 2; else exit 3; fi"], { runMs: 0, exitCode: 2 }],
  [["sh", "-c", "ls | wc -l"], undefined],
  [["sh", "-c", "if true; then"], undefined],
  [["sh", "-c", "curl http://example.com"], undefined],
  [["nginx"], undefined],
  [[], undefined],
])("%j simulates %j", (words, run) => {
  expect(simulatedRun(words)).toEqual(run);
});

it("keeps files between runs, and reads variables", () => {
  const kept = new Map<string, string>();
  const world = {
    env: new Map([["INDEX", "3"]]),
    files: {
      ...noFiles,
      has: (path: string) => kept.has(path),
      read: (path: string) => kept.get(path) ?? "",
      write: (path: string, text: string) => void kept.set(path, text),
      remove: (path: string) => void kept.delete(path),
    },
    random: () => 0.75,
  };
  const onceOnly = [
    "sh",
    "-c",
    "if [[ -r /data/seen-$INDEX ]]\nthen\n exit 0\nelse\n touch /data/seen-$INDEX\n exit 42\nfi",
  ];
  expect(simulatedRun(onceOnly, world)).toEqual({ runMs: 0, exitCode: 42 });
  expect(simulatedRun(onceOnly, world)).toEqual({ runMs: 0, exitCode: 0 });
  expect([...kept.keys()]).toEqual(["/data/seen-3"]);
  const odd = ["sh", "-c", "if [ $(expr $INDEX % 2) -ne 0 ]; then exit 1; fi"];
  expect(simulatedRun(odd, world)).toEqual({ runMs: 0, exitCode: 1 });
  expect(simulatedRun(["sh", "-c", "exit $(( $RANDOM / 16384 ))"], world)).toEqual({ runMs: 0, exitCode: 1 });
});

it("appends to files, and connects commands by pipes", () => {
  const kept = new Map([["/f", "one two\n"]]);
  const files = {
    ...noFiles,
    has: (path: string) => kept.has(path),
    read: (path: string) => kept.get(path) ?? "",
    write: (path: string, text: string) => void kept.set(path, text),
  };
  const world = { env: new Map<string, string>(), files, isVisible: true, random: Math.random };
  const script =
    "echo three >> /f; X=$(wc -l /f | awk {'print $1'}); echo $X; cat /f | awk '{print $2}' | wc -l; false | cat";
  const run = simulatedRun(["sh", "-c", script], world);
  expect(run?.output?.map(({ text }) => text)).toEqual(["2\n", "2\n"]);
  expect(run?.exitCode).toBe(0);
  expect(kept.get("/f")).toBe("one two\nthree\n");
});

it("changes files at the right time, and handles the signal to end", () => {
  const kept = new Map<string, string>();
  const files = {
    ...noFiles,
    has: (path: string) => kept.has(path),
    read: (path: string) => kept.get(path) ?? "",
    write: (path: string, text: string) => void kept.set(path, text),
    remove: (path: string) => void kept.delete(path),
  };
  const world = { env: new Map<string, string>(), files, random: Math.random };
  const script = "echo ok >/tmp/health; sleep 10; rm -rf /tmp/health; test -e /tmp/health || exit 3";
  const run = simulatedRun(["/bin/sh", "-c", script], world);
  expect(run).toMatchObject({ runMs: 10_000, exitCode: 3 });
  expect(kept.get("/tmp/health")).toBe("ok\n");
  for (const { atMs, apply } of run?.changes ?? []) {
    expect(atMs).toBe(10_000);
    apply();
  }
  expect(kept.size).toBe(0);

  const trapped = "_term(){\n sleep 5\n exit 143\n}\ntrap _term SIGTERM\nwhile true; do\n sleep 1\ndone";
  const server = simulatedRun(["/bin/sh", "-c", trapped], world);
  expect(server?.runMs).toBe(Number.POSITIVE_INFINITY);
  expect(server?.onTerm?.()).toMatchObject({ runMs: 5_000, exitCode: 143 });
});

it("writes output that is not redirected, each line at its time", () => {
  const world = {
    env: new Map([["NAME", "ada"]]),
    files: noFiles,
    isVisible: true,
    random: Math.random,
  };
  const script = `greet(){
    echo "hello $NAME"
  }
  X=$(echo taken); greet >/tmp/file; greet; sleep 2; echo $X; trap "echo bye" TERM; exit 3`;
  const run = simulatedRun(["sh", "-c", script], world);
  expect(run).toMatchObject({ runMs: 2_000, exitCode: 3 });
  expect(run?.output).toEqual([
    { atMs: 0, text: "hello ada\n" },
    { atMs: 2_000, text: "taken\n" },
  ]);
  expect(run?.onTerm?.()?.output).toEqual([{ atMs: 0, text: "bye\n" }]);
  const endlessly = simulatedRun(["sh", "-c", "while true; do echo $NAME; sleep 1; done"], world);
  expect(endlessly?.output?.slice(0, 2)).toEqual([
    { atMs: 0, text: "ada\n" },
    { atMs: 1_000, text: "ada\n" },
  ]);
  const long = { ...world, env: new Map([["LONG", "x".repeat(100_000)]]) };
  const much = simulatedRun(["sh", "-c", "while true; do A=$LONG; echo $LONG >/dev/null; echo $LONG; done"], long);
  expect(much?.output?.length).toBe(9);
  expect(simulatedRun(["sh", "-c", "echo said; curl x"], world)).toBeUndefined();
  expect(simulatedRun(["sh", "-c", "A=xx; while true; do A=$A$A; done"], world)).toBeUndefined();
});

it("does not wait for background commands", () => {
  expect(simulatedRun(["sh", "-c", "sleep 10 & exit 1"])).toEqual({ runMs: 0, exitCode: 1 });
});
