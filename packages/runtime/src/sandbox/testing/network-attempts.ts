import type { EscapeAttempt } from "./escape-attempt.ts";

/** Ways out where there is no network, and sockets of others in any sandbox. */
export const networkAttempts: readonly EscapeAttempt[] = [
  { name: "connect to another agent's socket", script: "$A unix $SOCK" },
  { name: "connect to another agent's socket by a link", script: "ln -s $SOCK s1; $A unix s1" },
  { name: "talk to the machine below", script: "$A socket 40", isOptional: true },
  { name: "connect to a port of the machine", script: "$A tcp 127.0.0.1 $TCP", word: "strict" },
  { name: "connect to a port of the machine by IPv6", script: "$A tcp ::1 $TCP6", word: "strict", isOptional: true },
  {
    name: "connect to a port of the machine by another of its addresses",
    script: "$A tcp 127.9.9.9 $TCP || $A tcp 0.0.0.0 $TCP",
    word: "strict",
  },
  { name: "send a datagram, as name servers are asked", script: "$A udp $UDP", word: "strict" },
  { name: "connect to an abstract socket", script: "$A abstract $ABSTRACT", word: "strict" },
  {
    name: "see an interface of the machine",
    script: "grep -v lo: /proc/net/dev | grep -q :",
    word: "strict",
    isOptional: true,
  },
  { name: "read the machine's name servers", script: "test -s /etc/resolv.conf", word: "strict", isOptional: true },
  { name: "send packets of its own making", script: "$A raw", by: "root" },
  { name: "listen to all packets", script: "$A socket 17", by: "root" },
  {
    name: "see connections of the machine",
    script: "grep -qi \"$(printf '%04X' $TCP)\" /proc/net/tcp",
    word: "strict",
  },
];
