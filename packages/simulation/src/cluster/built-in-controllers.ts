import { startControllers } from "@kubewright/controller-manager";
import { actorClock } from "../time/actor-clock.ts";
import { Random } from "../time/random.ts";
import { currentActor } from "../time/virtual-time.ts";
import type { Handle } from "./api-call.ts";
import { builtIn, type Cluster } from "./cluster.ts";

const controllerManager = { name: "system:kube-controller-manager", groups: ["system:masters"] };
const startMs = 60_000;
/**
 * Time that each of the controllers' deletions and other writes takes, in milliseconds. Otherwise, a program that recreates an object whose
 * deletion it does not see, and the garbage collector that deletes the object again, would never let the time advance.
 */
const [deletionMs, writeMs] = [1_000, 20] as const;

/**
 * Starts built-in controllers and a simulated node, which runs the pods that are scheduled to it.
 *
 * @param names names of the controllers, or `*` for all
 * @param seed seed of the controllers' random numbers
 * @returns a function that stops the controllers
 */
export async function startBuiltInControllers(
  cluster: Cluster,
  names: readonly string[],
  seed: string,
): Promise<() => Promise<void>> {
  const { time, users } = cluster;
  const actor = { ...users, name: builtIn, random: new Random(seed), isDead: false };
  const direct = cluster.handleAs(controllerManager, actor);
  const handle: Handle = async (request) => {
    const ms = request.method === "DELETE" ? deletionMs : writeMs;
    if (request.method !== "GET") await new Promise<void>((resolve) => void time.after(ms, actor, resolve));
    return direct(request);
  };
  const starting = currentActor.run(actor, () =>
    startControllers({
      connection: { server: "https://simulation.invalid", handle },
      controllers: names,
      addresses: { take: () => "127.0.0.1", giveBack: () => {} },
      clock: actorClock(),
    }),
  );
  const running = await time.until(starting, startMs, "the start of the built-in controllers");
  return async () => {
    const stopping = currentActor.run(actor, () => running.stop());
    await time.until(stopping, startMs, "stopping the built-in controllers");
    actor.isDead = true;
    time.forget(actor);
  };
}
