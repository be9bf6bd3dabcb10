import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import type { Environment } from "@kubewright/envtest";
import { Normaliser } from "./normaliser.ts";
import type { Responses } from "./run-sequence.ts";
import type { KubectlSequence, KubectlStep } from "./sequence.ts";

/** A kubectl on this machine. */
export interface Kubectl {
  readonly program: string;
  /** Such as `1.37`. */
  readonly version: string;
}

interface Outcome {
  readonly exit: number | string;
  readonly stdout: string;
  readonly stderr: string;
}

/** Returns the kubectl of that name or path, if it runs. */
export async function findKubectl(program: string): Promise<Kubectl | undefined> {
  const { exit, stdout } = await run(program, ["version", "--client", "--output=json"], tmpdir(), {});
  if (exit !== 0) return undefined;
  const version = /"gitVersion": "v(\d+\.\d+)\./.exec(stdout)?.[1];
  return version === undefined ? undefined : { program, version };
}

/** Runs the commands of a sequence one after the other, in a separate folder and namespace. */
export async function runKubectl(
  environment: Environment,
  kubectl: Kubectl,
  { name, steps }: KubectlSequence,
): Promise<Responses> {
  const folder = mkdtempSync(join(tmpdir(), "parity-"));
  const normaliser = new Normaliser(environment.url, Date.now());
  try {
    writeFileSync(join(folder, "kubeconfig"), environment.kubeconfig(), { mode: 0o600 });
    await run(kubectl.program, ["create", "namespace", name], folder, {});
    const answers: Record<string, Outcome> = {};
    for (const step of steps) {
      if (answers[step.id]) throw new Error(`two steps of ${name} have the id "${step.id}"`);
      normaliser.begin(step.id);
      answers[step.id] = normalise(normaliser, folder, await runStep(kubectl, folder, name, step));
    }
    return answers;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function runStep(kubectl: Kubectl, folder: string, namespace: string, step: KubectlStep): Promise<Outcome> {
  for (const [path, text] of Object.entries(step.files ?? {})) {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return run(kubectl.program, [`--namespace=${namespace}`, ...words(step.kubectl)], folder, step);
}

const words = (line: string): string[] =>
  [...line.matchAll(/(?:[^\s']|'[^']*')+/g)].map(([word]) => word.replaceAll("'", ""));

function run(
  program: string,
  parameters: readonly string[],
  folder: string,
  { env, stopAfterMs }: Pick<KubectlStep, "env" | "stopAfterMs">,
): Promise<Outcome> {
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  const options = {
    cwd: folder,
    timeout: stopAfterMs ?? 60_000,
    env: { PATH: process.env.PATH, HOME: folder, KUBECONFIG: join(folder, "kubeconfig"), ...env },
  };
  execFile(program, parameters, options, (error, stdout, stderr) => {
    const exit = error ? (error.killed ? "stopped" : (error.code ?? "unknown")) : 0;
    resolve({ exit, stdout, stderr });
  });
  return promise;
}

const ages = /(?<=\s|\()\d+[smhd](?:\d+[smhd])?(?=[\s)]|$)/gm;
const diffFolders = /\S*\/((?:LIVE|MERGED)-)\d+/g;
const fileTimes = /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)? [+-]\d{4}/g;
const longTimes = /\b\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d [+-]\d{4}/g;
const nodePorts = /(?<=\b\d+:)3\d{4}(?=\/(?:TCP|UDP))/g;
/** The credential depends on the way of authentication: a certificate, or a proxy that vouches for the client. */
const credential = /^Extra: authentication\.kubernetes\.io\/credential-id.*\n/gm;
const tokens = /\beyJ[\w-]+\.[\w-]+\.[\w-]+/g;

/** Column widths depend on the widest cell, such as an age: runs of spaces become two. */
function normalise(normaliser: Normaliser, folder: string, { exit, stdout, stderr }: Outcome): Outcome {
  const text = (raw: string): string =>
    normaliser
      .text(raw.replaceAll(folder, "<folder>"))
      .replaceAll(diffFolders, "<folder>/$1")
      .replaceAll(fileTimes, "<time>")
      .replaceAll(longTimes, "<time>")
      .replaceAll(nodePorts, "<port>")
      .replaceAll(credential, "")
      .replaceAll(tokens, "<token>")
      .replaceAll(ages, "<age>")
      .replaceAll(/(?<=\S) {2,}/g, "  ")
      .replaceAll(/ +$/gm, "");
  return { exit, stdout: text(stdout), stderr: text(stderr) };
}
