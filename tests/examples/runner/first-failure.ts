import { beforeEach, type RunnerTask } from "vitest";

const hasFailed = ({ result, ...task }: RunnerTask): boolean =>
  result?.state === "fail" || ("tasks" in task && task.tasks.some(hasFailed));

/** One failure a file is enough: what comes after it is left out. */
beforeEach(({ task, skip }) => {
  if (task.file.tasks.some(hasFailed)) skip();
});
