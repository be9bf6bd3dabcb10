import { clientsetOf, informersOf } from "kubewright";
import { Network } from "./network.ts";

const groups = { samplecrd: { v1: { networks: Network } } } as const;

/**
 * Returns a clientset like the one that code-generator would write:
 * `clientset(client).samplecrd.v1.networks("default").get("north")`.
 */
export const clientset = clientsetOf(groups);
/**
 * Returns an informer factory: `informers(client).samplecrd.v1.networks`
 * contains the informer and its lister.
 */
export const informers = informersOf(groups);
