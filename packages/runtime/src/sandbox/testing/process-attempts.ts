import type { EscapeAttempt } from "./escape-attempt.ts";

/** Processes outside, and what they hold. */
export const processAttempts: readonly EscapeAttempt[] = [
  { name: "see a process outside", script: "test -d /proc/$VICTIM" },
  { name: "signal a process outside", script: "$A signal $VICTIM" },
  { name: "signal the gateway", script: "kill -0 $GATEWAY" },
  { name: "signal a process group outside", script: "$A group $VICTIM" },
  { name: "trace a process outside", script: "$A trace $VICTIM", isOptional: true },
  { name: "read the memory of a process outside", script: "$A memory $VICTIM $ADDRESS", isOptional: true },
  { name: "write the memory of a process outside", script: "$A mem-file $VICTIM $ADDRESS", isOptional: true },
  { name: "take a descriptor out of a process outside", script: "$A steal $VICTIM", isOptional: true },
  { name: "read the gateway's environment", script: "tr '\\0' '\\n' </proc/$GATEWAY/environ | grep -q CANARY" },
  {
    name: "find the gateway's environment in any process",
    script: "cat /proc/*/environ 2>/dev/null | tr '\\0' '\\n' | grep -q CANARY",
  },
  { name: "read the command line of the gateway", script: "grep -q battery /proc/$GATEWAY/cmdline" },
  { name: "read the gateway's memory map", script: "grep -q . /proc/$GATEWAY/maps" },
  { name: "read by a descriptor of the gateway", script: "grep -q CANARY /proc/$GATEWAY/fd/7" },
  { name: "read by a descriptor that it inherited", script: "cat <&7 2>/dev/null | grep -q CANARY" },
  { name: "find a file it should not have among its descriptors", script: "ls -l /proc/self/fd | grep -q inherited" },
  {
    name: "make the gateway the first to be killed",
    script: "cat /proc/$GATEWAY/oom_score_adj >t2 && cat t2 >/proc/$GATEWAY/oom_score_adj",
  },
  { name: "change the limits of a process outside", script: "prlimit --pid $VICTIM --core=0" },
  { name: "change the priority of a process outside", script: "renice -n 19 -p $VICTIM" },
  { name: "find shared memory of the machine", script: "$A shm $KEY" },
  { name: "find a message queue of the machine", script: "$A msg $KEY" },
  { name: "read shared memory files of the machine", script: "grep -q CANARY /dev/shm/$SHM" },
  { name: "find a key in the user's keyring", script: "$A key $KEYNAME", isOptional: true },
  { name: "add a key to the user's keyring", script: "$A key-add $KEYNAME-2", isOptional: true },
  { name: "type into a terminal", script: "$A tiocsti", isOptional: true },
  { name: "become root by a setuid program", script: "$TOOLS/setuid-attempt euid0", by: "user", isOptional: true },
  { name: "give a file away", script: "touch f1 && $A chown f1", by: "root" },
];
