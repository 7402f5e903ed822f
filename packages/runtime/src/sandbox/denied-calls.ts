/** Numbers of one system call on the machines that Caret knows; undefined: the machine has no such call. */
type CallNumbers = readonly [x64: number | undefined, arm64: number | undefined];

/**
 * System calls that no program of a turn needs and that reach past namespaces, or would open the kernel's larger doors.
 * Most of them are refused to a process without capabilities in any case: the filter also holds where a kernel has a
 * fault behind one of them.
 */
export const deniedCalls: Readonly<Record<string, CallNumbers>> = {
  // Keyrings are inherited, and are not part of any namespace that can be left behind.
  add_key: [248, 217],
  request_key: [249, 218],
  keyctl: [250, 219],
  // Namespaces and mounts: the walls themselves.
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  chroot: [161, 51],
  unshare: [272, 97],
  setns: [308, 268],
  open_tree: [428, 428],
  move_mount: [429, 429],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  mount_setattr: [442, 442],
  name_to_handle_at: [303, 264],
  open_by_handle_at: [304, 265],
  // Programs inside the kernel, and its own memory.
  bpf: [321, 280],
  perf_event_open: [298, 241],
  userfaultfd: [323, 282],
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  iopl: [172, undefined],
  ioperm: [173, undefined],
  syslog: [103, 116],
  // The whole machine's state.
  reboot: [169, 142],
  swapon: [167, 224],
  swapoff: [168, 225],
  acct: [163, 89],
  quotactl: [179, 60],
  sethostname: [170, 161],
  setdomainname: [171, 162],
  settimeofday: [164, 170],
  clock_settime: [227, 112],
  clock_adjtime: [305, 266],
  adjtimex: [159, 171],
};

/** Answered as if the kernel were too old: programs have another way, which the filter can look at. */
export const missingCalls: Readonly<Record<string, CallNumbers>> = {
  // Its flags are in memory, where a filter cannot see them.
  clone3: [435, 435],
  // Opens sockets without the call `socket`.
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  // Its mode is in memory, too.
  openat2: [437, 437],
};

/** Calls that give a file a mode, and which argument it is. A program that runs as its owner would outlive the sandbox. */
export const modeCalls: readonly { readonly numbers: CallNumbers; readonly argument: number }[] = [
  { numbers: [90, undefined], argument: 1 }, // chmod
  { numbers: [91, 52], argument: 1 }, // fchmod
  { numbers: [268, 53], argument: 2 }, // fchmodat
  { numbers: [452, 452], argument: 2 }, // fchmodat2
  { numbers: [83, undefined], argument: 1 }, // mkdir
  { numbers: [258, 34], argument: 2 }, // mkdirat
  { numbers: [133, undefined], argument: 1 }, // mknod
  { numbers: [259, 33], argument: 2 }, // mknodat
  { numbers: [85, undefined], argument: 1 }, // creat
];

/** The same where the mode counts only with flags that make a file, in the argument before it. */
export const openCalls: typeof modeCalls = [
  { numbers: [2, undefined], argument: 2 }, // open
  { numbers: [257, 56], argument: 3 }, // openat
];

/** Calls that are judged by an argument. */
export const judgedCalls = {
  clone: [56, 220],
  socket: [41, 198],
  socketpair: [53, 199],
  ioctl: [16, 29],
} as const satisfies Record<string, CallNumbers>;
