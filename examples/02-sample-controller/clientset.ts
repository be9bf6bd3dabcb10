import { clientsetOf, informersOf } from "kubewright";
import { Network } from "./network.ts";

const groups = { samplecrd: { v1: { networks: Network } } } as const;

/** What code-generator writes elsewhere: `clientset(client).samplecrd.v1.networks("default").get("north")`. */
export const clientset = clientsetOf(groups);
/** `informers(client).samplecrd.v1.networks` has the informer and its lister. */
export const informers = informersOf(groups);
