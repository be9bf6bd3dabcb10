import { InformerFactory } from "@kubewright/cache";
import { Client } from "@kubewright/client";
import { Pod } from "@kubewright/client/kinds";
import type { InformerSubject, PodHandler } from "./informer-subject.ts";

/** Our informer with default settings. */
export function kubewrightInformer(url: string): InformerSubject {
  const informers = new InformerFactory(new Client({ connection: { server: url } }));
  const pods = informers.for(Pod);
  return {
    async start(handler: PodHandler, handlers: number): Promise<void> {
      for (let i = 0; i < handlers; i++)
        pods.addHandler({ added: (pod) => handler.added(pod), updated: (_, pod) => handler.updated(pod) });
      await informers.start(new AbortController().signal);
    },
    objects: () => pods.indexer.list(),
  };
}
