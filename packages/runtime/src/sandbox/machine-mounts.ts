import { lstatSync, readlinkSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Mount } from "./walls.ts";

/** Directories of programs and their libraries. On most systems all but `/usr` are links into it. */
const PROGRAM_DIRECTORIES = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store"];

/**
 * What programs read in `/etc` to run at all: the linker's cache, names of users and services, certificates, time. Not the
 * directory itself: it holds keys and password hashes, which the sandbox of a root user could read.
 */
const ETC = [
  "alternatives",
  "bash.bashrc",
  "ca-certificates",
  "ca-certificates.conf",
  "crypto-policies",
  "debian_version",
  "fonts",
  "gai.conf",
  "group",
  "host.conf",
  "hosts",
  "inputrc",
  "ld.so.cache",
  "ld.so.conf",
  "ld.so.conf.d",
  "locale.alias",
  "locale.conf",
  "localtime",
  "lsb-release",
  "magic",
  "mime.types",
  "nsswitch.conf",
  "os-release",
  "passwd",
  "pki/ca-trust",
  "pki/tls/certs",
  "profile",
  "protocols",
  "services",
  "shells",
  "ssl/cert.pem",
  "ssl/certs",
  "ssl/openssl.cnf",
  "terminfo",
  "timezone",
];

/** Only of use with a network. */
const ETC_NETWORK = ["resolv.conf"];

/** Files of `/proc` that say something about the machine and not about the sandbox. */
const PROC_MASKED = [
  "kcore",
  "keys",
  "key-users",
  "timer_list",
  "sched_debug",
  "latency_stats",
  "kallsyms",
  "slabinfo",
];

/** The machine as every sandbox sees it: programs, `/proc`, `/dev`, and nothing that belongs to a person. */
export function machineMounts(network: "shared" | "none", memoryBytes: number): readonly Mount[] {
  const etc = network === "shared" ? [...ETC, ...ETC_NETWORK] : ETC;
  return [
    ...PROGRAM_DIRECTORIES.flatMap(asItIs),
    ...etc.map((name) => join("/etc", name)).flatMap(readable),
    { kind: "proc" },
    ...PROC_MASKED.map((name) => join("/proc", name)).flatMap(masked),
    { kind: "devices" },
    { kind: "memory", path: "/dev/shm", bytes: memoryBytes },
    { kind: "seal", path: "/dev" },
    { kind: "memory", path: "/tmp", bytes: memoryBytes },
    { kind: "link", path: "/var/tmp", to: "/tmp" },
  ];
}

/** To be mounted last. Files below `/proc` that belong to root could be written by the sandbox of a root user. */
export const lastSeals: readonly Mount[] = [
  { kind: "seal", path: "/proc" },
  { kind: "seal", path: "/" },
];

/** A link stays a link: `/bin` is `usr/bin` on most systems. */
function asItIs(path: string): readonly Mount[] {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat?.isSymbolicLink()) return [{ kind: "link", path, to: readlinkSync(path) }];
  return stat === undefined ? [] : [{ kind: "read", path }];
}

function readable(path: string): readonly Mount[] {
  return statSync(path, { throwIfNoEntry: false }) === undefined ? [] : [{ kind: "read", path }];
}

function masked(path: string): readonly Mount[] {
  return statSync(path, { throwIfNoEntry: false }) === undefined ? [] : [{ kind: "read", path, from: "/dev/null" }];
}
