import { flushCompileCache } from "node:module";
import process from "node:process";
import { createInterface } from "node:readline";
import { InformerRole } from "./informer-role.ts";
import type { InformerSubject } from "./informer-subject.ts";
import type { InformerName, SubjectCommand, SubjectSpec } from "./spec.ts";

const bareReadings = { bare: "parsed", "bare, managedFields cut": "cut", "bare, bodies as text": "held" } as const;

/** Loads only the measured subject, because other code would count as its memory. */
async function informerFor(name: InformerName, url: string): Promise<InformerSubject> {
  switch (name) {
    case "kubewright":
      return (await import("./kubewright-informer.ts")).kubewrightInformer(url);
    case "client-node":
      return (await import("./client-node-informer.ts")).clientNodeInformer(url);
    case "bare":
    case "bare, managedFields cut":
    case "bare, bodies as text":
      return new (await import("./bare-informer.ts")).BareInformer(url, bareReadings[name]);
    default:
      throw new Error(`${name} is not written in JavaScript`);
  }
}

async function roleOf(spec: SubjectSpec): Promise<{ carryOut(command: SubjectCommand): Promise<unknown> }> {
  switch (spec.role) {
    case "informer":
      return new InformerRole(spec, await informerFor(spec.subject, spec.url));
    case "reconciler":
      return (await import("./reconciler-role.ts")).startReconciler(spec);
    case "console":
      return (await import("./console-role.ts")).startWithConsole(spec);
    case "webhooks":
      return (await import("./webhook-role.ts")).startWebhooks(spec);
  }
}

const spec = JSON.parse(process.argv[2] ?? "") as SubjectSpec;
const role = await roleOf(spec);
flushCompileCache(); // a process that is killed does not write its compile cache

for await (const line of createInterface(process.stdin)) {
  console.log(JSON.stringify(await role.carryOut(JSON.parse(line) as SubjectCommand)));
}
process.exit();
