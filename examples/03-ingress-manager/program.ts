import { signalContext } from "kubewright";
import { main } from "./main.ts";

/** What the image runs. */
await main(undefined, signalContext());
