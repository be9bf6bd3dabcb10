import { clientsetOf, informersOf } from "kubewright";
import { Network } from "./network.ts";

const groups = { samplecrd: { v1: { networks: Network } } } as const;

/** The clientset that code-generator would write: `clientset(client).samplecrd.v1.networks("default").get("north")`. */
export const clientset = clientsetOf(groups);
/** `informers(client).samplecrd.v1.networks` contains the informer and its lister. */
export const informers = informersOf(groups);
