import { controllerManagedBy } from "@kubewright/builder";
import { Pod } from "@kubewright/client/kinds";
import { enqueueRequestsFromMapFunc } from "@kubewright/controller";
import type { Manager } from "@kubewright/manager";
import { CniInterface } from "../api/cni-interface.ts";
import {
  CniInterfaceReconciler,
  type CniInterfaceReconcilerOptions,
} from "../cni-interface/cni-interface-reconciler.ts";
import { interfaceMatters, interfacesOfPod } from "../cni-interface/triggers.ts";
import { ruleMatters } from "../rules/triggers.ts";

/** Number of interfaces that are reconciled at the same time. They mostly wait for their CNFs. */
const workers = 64;

/** Adds the controller for CniInterfaces. */
export function addInterfaceController(manager: Manager, options: CniInterfaceReconcilerOptions): void {
  controllerManagedBy(manager)
    .for(CniInterface, { predicates: [ruleMatters] })
    .watches(Pod, enqueueRequestsFromMapFunc<Pod>(interfacesOfPod), { predicates: [interfaceMatters] })
    .withOptions({ maxConcurrentReconciles: workers })
    .complete(new CniInterfaceReconciler(options).reconcile);
}
