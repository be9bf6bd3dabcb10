import type { DeepReadonly } from "@kubewright/apimachinery";
import type { Pod } from "@kubewright/client/kinds";
import type { ProcessWorld, ProgramResult } from "./shell/process-world.ts";
import type { Container, ContainerFiles } from "./simulated-files.ts";

/** Returns the programs of the image `busybox` that print properties of their container and end at once. */
export function busyboxPrograms(
  { spec }: DeepReadonly<Pod>,
  { securityContext }: Container,
  files: ContainerFiles,
): NonNullable<ProcessWorld["program"]> {
  const { uid, gid, groups } = files.user;
  const printed = (text: string): ProgramResult => ({ text: `${text}\n`, status: 0 });
  const failed = (text: string): ProgramResult => ({ text: `${text}\n`, status: 1 });
  return (name, args) => {
    switch (name) {
      case "id":
        if (args[0] === "-u") return printed(String(uid));
        if (args[0] === "-g") return printed(String(gid));
        return printed(args[0] === "-G" ? groups.join(" ") : `uid=${uid} gid=${gid} groups=${groups.join(",")}`);
      case "sysctl": {
        const asked = spec.securityContext?.sysctls?.find((each) => each.name === args[0]);
        return asked ? printed(`${asked.name} = ${asked.value}`) : failed(`sysctl: unknown key ${args[0]}`);
      }
      case "hexdump": {
        const bytes = args[0] === "-C" ? files.open(args[1] ?? "") : undefined;
        if (!Buffer.isBuffer(bytes)) return failed(`hexdump: ${args[1]}: ${bytes ?? "unsupported option"}`);
        return printed(bytes.toString("hex").replace(/..\B/g, "$& "));
      }
      case "ip": // any change to links requires a privileged container
        return securityContext?.privileged ? printed("") : failed("ip: RTNETLINK answers: Operation not permitted");
      default:
        return undefined;
    }
  };
}
