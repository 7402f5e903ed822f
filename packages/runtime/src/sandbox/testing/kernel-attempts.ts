import type { EscapeAttempt } from "./escape-attempt.ts";

const NEW_USER = "0x10000000";
const NEW_MOUNT = "0x20000";
const NEW_PID = "0x20000000";

/** Namespaces, mounts, devices, and the kernel's own doors. */
export const kernelAttempts: readonly EscapeAttempt[] = [
  { name: "make a user namespace", script: `$A unshare ${NEW_USER}`, isOptional: true },
  { name: "make a process in a user namespace", script: "$A clone", isOptional: true },
  { name: "make a process in a user namespace by the newer call", script: "$A clone3", isOptional: true },
  { name: "mount in a nested namespace", script: "mkdir -p m1; $A nested-mount $PWD/m1", isOptional: true },
  { name: "make a mount namespace", script: `$A unshare ${NEW_MOUNT}`, by: "root" },
  { name: "make a process namespace", script: `$A unshare ${NEW_PID}`, by: "root" },
  { name: "enter the namespaces of a process outside", script: "$A setns /proc/$VICTIM/ns/uts", by: "root" },
  { name: "mount", script: "mkdir -p m2; $A mount $PWD/m2 && $A umount $PWD/m2", by: "root" },
  { name: "unmount .cursor", script: "$A mount $PWD/.cursor; $A umount $PWD/.cursor", by: "root" },
  {
    name: "make a read-only mount writable",
    script: "$A mount $PWD/.cursor; $A remount $PWD/.cursor && $A umount $PWD/.cursor",
    by: "root",
  },
  { name: "open a file system by the newer calls", script: "$A fsopen", by: "root" },
  { name: "change its root", script: "$A chroot /tmp", by: "root" },
  { name: "open a file by its handle", script: "$A handle $WORLD/outside/secret $WORLD/outside", by: "root" },
  { name: "make a device", script: "rm -f d1; $A mknod d1", by: "root" },
  { name: "write the kernel's log", script: ": >>/dev/kmsg", by: "root", isOptional: true },
  { name: "read the kernel's log", script: "dmesg | grep -q .", by: "root", isOptional: true },
  {
    name: "set a parameter of the kernel",
    script: "cat /proc/sys/vm/swappiness >v1 && cat v1 >/proc/sys/vm/swappiness",
    by: "root",
  },
  {
    name: "choose the program that is given core dumps",
    script: "cat /proc/sys/kernel/core_pattern >v2 && cat v2 >/proc/sys/kernel/core_pattern",
    by: "root",
  },
  { name: "press the kernel's magic keys", script: "echo h >/proc/sysrq-trigger", by: "root", isOptional: true },
  { name: "change how the kernel treats it", script: "echo 500 >/proc/self/oom_score_adj" },
  { name: "read the kernel's addresses of keys", script: "grep -q . /proc/keys", isOptional: true },
  { name: "look at the machine's devices", script: "ls /sys/class/net | grep -q ." },
  { name: "look at the machine's control groups", script: "ls /sys/fs/cgroup | grep -q .", isOptional: true },
  { name: "rename the machine", script: "$A hostname", by: "root" },
  { name: "load a program into the kernel", script: "$A bpf", by: "root", isOptional: true },
  { name: "measure the kernel", script: "$A perf", isOptional: true },
  { name: "handle page faults itself", script: "$A userfault", isOptional: true },
  { name: "make system calls past the filter by a ring", script: "$A ring", isOptional: true },
  { name: "make system calls by the numbers of another machine", script: "$A i386", isOptional: true },
];
