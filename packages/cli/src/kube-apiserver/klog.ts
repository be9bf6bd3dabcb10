import { systemClock } from "@kubewright/clock";

/** Formats a log line like kube-apiserver: severity, time, process, source line. @see k8s.io/klog */
export function klogLine(severity: "I" | "W" | "E", source: string, text: string, nowMs = systemClock.now()): string {
  const now = new Date(nowMs);
  const pad = (value: number, width = 2): string => String(value).padStart(width, "0");
  const day = `${pad(now.getMonth() + 1)}${pad(now.getDate())}`;
  const time = `${pad(now.getHours())}:${pad(now.getMinutes())}:${pad(now.getSeconds())}.${pad(now.getMilliseconds(), 3)}000`;
  return `${severity}${day} ${time} ${String(process.pid).padStart(7)} ${source}] ${text}\n`;
}
