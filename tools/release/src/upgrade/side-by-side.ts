/**
 * Source of a program that replaces a deployed program by its next version and returns to the earlier one. The cluster is a control plane
 * of this process. Meanwhile, the program writes twenty objects a second in both API versions, and every write passes the webhooks. Its
 * arguments are the folders of the project in the earlier and in the next version. Prints one line for each step, and `done` at the end.
 */
export const sideBySide = `
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { unstructured } from "@kubewright/apimachinery";
import { inlineImage } from "@kubewright/codegen";
import { processImage, startControlPlane } from "@kubewright/controller-manager";
import { Client } from "kubewright";
import { Deployment, Pod } from "kubewright/kinds";

const [earlier, next] = process.argv.slice(2);
const execute = promisify(execFile);
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const plane = await startControlPlane({ images: { [inlineImage]: processImage() } });
const client = new Client({ connection: plane.connection() });
const kinds = ["v1", "v1alpha1"].map((version) => unstructured({ apiVersion: "shop.example.com/" + version, kind: "Site" }));
const [v1, v1alpha1] = kinds;
const namespace = "shop-system";
const name = "shop-controller-manager";
const key = namespace + "/" + name;

const kubewright = async (folder, ...words) => {
  const cli = join(folder, "node_modules/@kubewright/cli/bin/kubewright.mjs");
  const file = join(folder, "kubeconfig");
  writeFileSync(file, plane.kubeconfig, { mode: 0o600 });
  for (let attempt = 1; ; attempt++)
    try {
      const { stdout } = await execute(process.execPath, [cli, ...words, "--kubeconfig", file], { cwd: folder, maxBuffer: 2 ** 24 });
      return stdout.trim().replaceAll(/\\s+/g, " ");
    } catch (error) {
      // On a busy machine, the program may not load within the command's limit.
      if (attempt === 3 || !String(error).includes("did not end within")) throw error;
    }
};

/** Writes objects until it is stopped, and checks that each was defaulted or rejected by a webhook. */
class Writer {
  count = 0;
  wrong = [];
  #writes = [];
  #timer = setInterval(() => this.#writes.push(this.#write(this.count++)), 50);

  async #write(turn) {
    const isLong = turn % 4 === 3;
    const at = new Date().toISOString().slice(11, 23) + " " + kinds[turn % 2].apiVersion + ": ";
    try {
      const spec = { message: isLong ? "x".repeat(1_001) : " hello " };
      const made = await client.create(kinds[turn % 2], { metadata: { generateName: "w-", namespace: "default" }, spec });
      if (isLong) this.wrong.push(at + "was not validated");
      else if (made.spec.message !== "hello") this.wrong.push(at + "was not defaulted: " + JSON.stringify(made.spec));
    } catch (error) {
      if (!isLong || !String(error).includes("must be at most 1,000 characters")) this.wrong.push(at + error);
    }
  }

  async stop() {
    clearInterval(this.#timer);
    await Promise.all(this.#writes);
  }
}

/** Measures for how long pods of two revisions of the Deployment are ready, so that the Service of the webhooks selects both. */
class Watcher {
  togetherMs = 0;
  #isStopped = false;
  #watching = this.#watch();

  async #watch() {
    for (let last = performance.now(); !this.#isStopped; await pause(100)) {
      const now = performance.now();
      const pods = await client.list(Pod, { namespace });
      const isReady = ({ metadata, status }) =>
        metadata.deletionTimestamp === undefined && status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True");
      if (new Set(pods.filter(isReady).map(({ metadata }) => metadata.labels?.["pod-template-hash"])).size > 1) this.togetherMs += now - last;
      last = now;
    }
  }

  async stop() {
    this.#isStopped = true;
    await this.#watching;
  }
}

/** Returns what must not change in a stored object, as both API versions show it. */
const stored = async () => {
  const [ours, theirs] = await Promise.all(kinds.map((kind) => client.list(kind, { namespace: "default" })));
  const shown = (object) => [object.metadata.name, object.metadata.uid, object.spec.message].join(" ");
  const isKept = ({ metadata }) => metadata.name.startsWith("kept-");
  const lists = [ours, theirs].map((list) => list.filter(isKept).map(shown).sort().join("; "));
  if (lists[0] !== lists[1]) throw new Error("the API versions differ: " + lists.join(" | "));
  return lists[0];
};

try {
  console.log("earlier:", await kubewright(earlier, "deploy", "--inline"));
  // Both versions serve calls for a while, although they start quickly.
  await client.patch(Deployment, key, { spec: { minReadySeconds: 5 } });
  const giveUp = performance.now() + 90_000;
  for (let made = 0; made < 20; ) {
    const metadata = { name: "kept-" + made, namespace: "default" };
    await client.create(kinds[made % 2], { metadata, spec: { message: "site " + made } }).then(() => made++, async (error) => {
      if (performance.now() > giveUp) throw error; // until the API server trusts the webhooks
      await pause(200);
    });
  }
  const before = await stored();
  if (before.split("; ").length !== 20) throw new Error("stored: " + before);
  for (const [folder, title] of [[next, "next"], [earlier, "earlier again"]]) {
    const [writer, watcher] = [new Writer(), new Watcher()];
    try {
      console.log(title + ":", await kubewright(folder, "deploy", "--inline"));
    } finally {
      await Promise.all([writer.stop(), watcher.stop()]);
    }
    if (writer.wrong.length > 0) throw new Error(writer.wrong.length + " of " + writer.count + " writes are wrong:\\n" + writer.wrong.slice(0, 10).join("\\n"));
    if (watcher.togetherMs < 1_000) throw new Error("pods of both versions were ready for only " + watcher.togetherMs + " ms");
    const after = await stored();
    if (after !== before) throw new Error("stored objects changed from " + before + " to " + after);
    console.log(writer.count + " writes, none wrong; pods of both versions were ready for " + (watcher.togetherMs / 1_000).toFixed(1) + " s");
  }
  console.log("20 stored objects are unchanged in both API versions");
  await kubewright(next, "undeploy", "--crds", "--delete-objects");
  console.log("done");
} finally {
  await client.close();
  await plane.stop();
}
`;
