import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const main = fileURLToPath(new URL("main.ts", import.meta.url));

it.each([
  ["--help", 0, /^Tests the cache, leader election.*\.\n[\s\S]* --help +print this text\n$/],
  ["--colour", 2, /^Unknown option '--colour' \(see --help\)\n$/],
  ["--runs x", 2, /^--runs x: not a number of 1 or more \(see --help\)\n$/],
  ["--leader --processes 0", 2, /^--processes 0: not a number of 1 or more \(see --help\)\n$/],
  ["--seed 1 --path zz", 2, /^--path zz: not numbers separated by colons \(see --help\)\n$/],
  ["--path 1:2", 2, /^--path requires --seed \(see --help\)\n$/],
])("prints help, or one line about arguments that are not valid: %s", (args, code, text) => {
  const words = ["--conditions=@kubewright/source", main, ...args.split(" ")];
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { encoding: "utf8" });
  expect(stdout + stderr).toMatch(text);
  expect(status).toBe(code);
});
