import type { Clock, Timer } from "@kubewright/clock";
import type { SimulatedOutput } from "./written-output.ts";

/**
 * Emits a simulated process's output at the right times.
 *
 * @returns a function that emits all overdue output and stops; call it when the process has exited
 */
export function emitOnTime(
  clock: Clock,
  output: readonly SimulatedOutput[],
  write: (text: string) => void,
): () => void {
  const start = clock.now();
  let next = 0;
  let timer: Timer | undefined;
  const writeDue = (): void => {
    for (let due = output[next]; due && start + due.atMs <= clock.now(); due = output[++next]) write(due.text);
  };
  const wait = (): void => {
    writeDue();
    const due = output[next];
    if (due) timer = clock.after(start + due.atMs - clock.now(), wait);
  };
  wait();
  return () => {
    timer?.cancel();
    writeDue();
  };
}
