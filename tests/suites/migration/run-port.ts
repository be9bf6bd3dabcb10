import { run } from "kubewright";
import * as fromControllerRuntime from "./from-controller-runtime.ts";
import * as fromKopf from "./from-kopf.ts";

const { setup, options } = process.env.FORMER_PROGRAM === "kopf" ? fromKopf : fromControllerRuntime;
await run(setup, options);
