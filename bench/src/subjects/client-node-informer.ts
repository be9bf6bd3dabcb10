import { CoreV1Api, KubeConfig, makeInformer } from "@kubernetes/client-node";
import type { InformerSubject, PodHandler } from "./informer-subject.ts";

/** The informer of the official JavaScript client. */
export function clientNodeInformer(url: string): InformerSubject {
  const config = new KubeConfig();
  config.loadFromClusterAndUser({ name: "feed", server: url, skipTLSVerify: true }, { name: "bench" });
  const api = config.makeApiClient(CoreV1Api);
  const informer = makeInformer(config, "/api/v1/pods", () => api.listPodForAllNamespaces());
  return {
    async start(handler: PodHandler, handlers: number): Promise<void> {
      for (let i = 0; i < handlers; i++) {
        informer.on("add", (pod) => handler.added(pod));
        informer.on("update", (pod) => handler.updated(pod));
      }
      informer.on("error", (error) => {
        throw error;
      });
      await informer.start();
    },
    objects: () => informer.list(),
  };
}
