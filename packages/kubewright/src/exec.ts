/** Support for kubeconfigs with `exec` or an `auth-provider`. Bundled programs that read them must `import "kubewright/exec"`. */
import "@kubewright/client/exec";
