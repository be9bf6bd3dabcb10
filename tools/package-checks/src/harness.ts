/**
 * Source of a program that starts a control plane and runs the README's controller until the controller has done its work. The program
 * checks that the controller does not write objects that are already correct, or fields that it does not own.
 */
export const harness = `
import { startControlPlane } from "@kubewright/controller-manager";
import { Client } from "kubewright";
import { CustomResourceDefinition, Deployment } from "kubewright/kinds";
import { main, Site } from "./controller.js";

const plane = await startControlPlane({});
const stop = new AbortController();
const client = new Client({ connection: plane.connection() });
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const until = async (what, check) => {
  const giveUp = AbortSignal.timeout(30_000);
  while (!(await check().catch(() => false))) {
    if (giveUp.aborted) throw new Error("not within 30 s: " + what);
    await pause(20);
  }
};
const site = () => client.get(Site, "default/north");
const deployment = () => client.get(Deployment, "default/north");
let touches = 0;
const touch = () => client.patch(Site, "default/north", { metadata: { annotations: { touched: String(++touches) } } });
const isReady = async (replicas) => (await site()).status?.readyReplicas === replicas;
try {
  await client.create(CustomResourceDefinition, Site.crd);
  await until("the definition is served", () => client.list(Site, {}).then(() => true));
  const running = main(plane.connection(), stop.signal);
  await client.create(Site, { metadata: { name: "north", namespace: "default" }, spec: { image: "nginx", replicas: 2 } });
  await until("two replicas are ready", () => isReady(2));
  console.log("the controller made a Deployment with", (await deployment()).spec.replicas, "replicas, all ready");

  await until("the Deployment has settled", async () => {
    const before = (await deployment()).metadata.resourceVersion;
    await pause(300);
    return (await deployment()).metadata.resourceVersion === before;
  });
  const before = (await deployment()).metadata.resourceVersion;
  let touched;
  for (let i = 0; i < 100; i++) {
    touched = await touch();
    await pause(10);
  }
  await pause(500);
  const after = (await deployment()).metadata.resourceVersion;
  if (after !== before) throw new Error("reconciles with nothing to do wrote the Deployment: " + before + ", " + after);
  const seen = (await site()).metadata.resourceVersion;
  if (seen !== touched.metadata.resourceVersion) throw new Error("reconciles with nothing to do wrote the Site");
  console.log("100 reconciles with nothing to do wrote nothing");

  const restartedAt = new Date().toISOString();
  const template = { metadata: { annotations: { "kubectl.kubernetes.io/restartedAt": restartedAt } } };
  await client.patch(Deployment, "default/north", { spec: { template } }, { type: "strategic" });
  for (let i = 0; i < 20; i++) {
    await touch();
    await pause(10);
  }
  await until("the restarted Deployment is ready", async () => {
    const { metadata, status } = await deployment();
    return status.observedGeneration === metadata.generation && status.updatedReplicas === 2 && status.readyReplicas === 2;
  });
  const kept = (await deployment()).spec.template.metadata?.annotations?.["kubectl.kubernetes.io/restartedAt"];
  if (kept !== restartedAt) throw new Error("kubectl rollout restart was undone");
  console.log("kubectl rollout restart survives");
  stop.abort();
  await running;
} finally {
  stop.abort();
  await client.close();
  await plane.stop();
}
`;
